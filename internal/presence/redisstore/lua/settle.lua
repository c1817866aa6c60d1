-- Settles users of one shard: records what time has done to them.
--
-- KEYS: state.lua, with the buckets of the users
-- ARGV: away mark to set (ms; '' to leave it), then for each user: user, bucket
--   (from 0, among KEYS)
-- Returns: expired, newly AWAY

local expired, away = 0, 0
for i = HEADER + 2, #ARGV, 2 do
  local u = read(ARGV[i], ARGV[i + 1])
  local before = u.state
  settle(u)
  if u.state == EXPIRED and before ~= EXPIRED then
    expired = expired + 1
  elseif u.state ~= before then
    away = away + 1
  end
end
if ARGV[HEADER + 1] ~= '' then
  redis.call('HSET', meta_key, 'away', ARGV[HEADER + 1])
end
return { expired, away }
