-- Gives a shard to one resharding at a time, for a while, and keeps writes away
-- while its users are moved for good.
--
-- KEYS[1] {p:S:s}:meta  hash  resharder: who has the shard; held: until when (ms);
--                             frozen: '1' while the shard takes no writes
-- ARGV[3] resharder   ARGV[4] '1' to take the shard, else to keep what was taken
-- ARGV[5] for how long (ms); 0 gives the shard back   ARGV[6] '1' to freeze it
-- Returns: 1, or 0 if another resharding has it, or it was not kept

local meta_key = KEYS[1]
local resharder, take, period, freeze = ARGV[3], ARGV[4] == '1', tonumber(ARGV[5]), ARGV[6] == '1'

local meta = redis.call('HMGET', meta_key, 'resharder', 'held')
local held = meta[1] and tonumber(meta[2]) > now
if (held and meta[1] ~= resharder) or (not held and not take) then
  return 0
end
if period == 0 then
  redis.call('HDEL', meta_key, 'resharder', 'held', 'frozen')
  return 1
end
redis.call('HSET', meta_key, 'resharder', resharder, 'held', now + period)
redis.call('EXPIRE', meta_key, KEEP)
if freeze then
  redis.call('HSET', meta_key, 'frozen', '1')
else
  redis.call('HDEL', meta_key, 'frozen')
end
return 1
