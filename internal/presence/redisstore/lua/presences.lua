-- The presence of users of one shard. Writes nothing.
--
-- KEYS[2…]: for each bucket two:
--   {p:S:s}:session:B     hash  user -> record, of those online
--   {p:S:s}:seen:B        hash  user -> record, of those offline
-- ARGV[3] away after (ms), then for each user: user, bucket (from 0, among KEYS)
-- Returns, for each user: state (1 online, 2 away; else offline), last activity
--   (ms), since (ms), epoch, device

local away = now - tonumber(ARGV[3])

local reply = {}
for i = 4, #ARGV, 2 do
  local user, at = ARGV[i], 2 + 2 * ARGV[i + 1]
  local u = unpack_record(redis.call('HGET', KEYS[at], user) or redis.call('HGET', KEYS[at + 1], user))
  if u and (u.state == ONLINE or u.state == AWAY) then -- as the clock says, told or not
    reply[#reply + 1] = { u.active <= away and AWAY or ONLINE, u.active, u.since, u.epoch, u.device }
  elseif u and not forgotten(u.since) then
    reply[#reply + 1] = { u.state, u.active, u.since, u.epoch, '' }
  else
    reply[#reply + 1] = { EXPIRED, 0, 0, 0, '' }
  end
end
return reply
