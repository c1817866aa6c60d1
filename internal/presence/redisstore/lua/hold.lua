-- Gives a shard to one resharding at a time, for a while, and keeps writes away
-- while its users are moved for good.
--
-- KEYS[1] {p:S:s}:meta  hash  resharder: who has the shard; held: until when (ms);
--                             frozen: '1' while the shard takes no writes
-- ARGV[3] resharder   ARGV[4] '1' to take the shard, '' to keep what was taken
-- ARGV[5] for how long (ms); 0 gives the shard back   ARGV[6] '1' to freeze it
-- Returns: 1, or 0 if another resharding has it, or it was not kept

local meta = redis.call('HMGET', KEYS[1], 'resharder', 'held')
local held = meta[1] and tonumber(meta[2]) > now
if (held and meta[1] ~= ARGV[3]) or (not held and ARGV[4] ~= '1') then
  return 0
end
if ARGV[5] == '0' then
  redis.call('HDEL', KEYS[1], 'resharder', 'held', 'frozen')
  return 1
end
redis.call('HSET', KEYS[1], 'resharder', ARGV[3], 'held', now + tonumber(ARGV[5]))
redis.call('EXPIRE', KEYS[1], KEEP)
if ARGV[6] == '1' then
  redis.call('HSET', KEYS[1], 'frozen', '1')
else
  redis.call('HDEL', KEYS[1], 'frozen')
end
return 1
