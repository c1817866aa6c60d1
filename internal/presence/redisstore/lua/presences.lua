-- The presence of users of one shard. Writes nothing.
--
-- KEYS: for each bucket two:
--   {p:s}:session:B     hash  user -> record, of those online
--   {p:s}:seen:B        hash  user -> record, of those offline
-- ARGV[2] away after (ms), then for each user: user, bucket (from 0, among KEYS)
-- Returns, for each user: state (1 online, 2 away; else offline), last activity
--   (ms), since (ms), epoch, device

local away = now - tonumber(ARGV[2])

local reply = {}
for i = 3, #ARGV, 2 do
  local user, at = ARGV[i], 1 + 2 * ARGV[i + 1]
  local record = redis.call('HGET', KEYS[at], user) or redis.call('HGET', KEYS[at + 1], user)
  local answer = { EXPIRED, 0, 0, 0, '' }
  if record then
    local state, epoch, since, _, active, _, _, device_at = struct.unpack(RECORD, record)
    if state == ONLINE or state == AWAY then -- as the clock says, told or not
      answer = { active <= away and AWAY or ONLINE, active, since, epoch, string.sub(record, device_at) }
    elseif not forgotten(since) then
      answer = { state, active, since, epoch, '' }
    end
  end
  reply[#reply + 1] = answer
end
return reply
