-- Says of a shard that its users are stored in another layout by now.
--
-- KEYS[1] {p:S:s}:meta    hash
-- KEYS[2] {p:S:s}:events  stream  its last entry, which wakes who waits for events
-- ARGV[3] resharder, who must have it frozen   ARGV[4] the other layout
-- Returns: 1, or 0 if the shard was not kept frozen

local meta = redis.call('HMGET', KEYS[1], 'resharder', 'held', 'frozen')
if meta[1] ~= ARGV[3] or tonumber(meta[2]) <= now or meta[3] ~= '1' then
  return 0
end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'layout', ARGV[4], 'resharder', ARGV[3]) -- who may clear the rest
redis.call('EXPIRE', KEYS[1], KEEP)
redis.call('XADD', KEYS[2], '*', 'type', 'MOVED')
redis.call('EXPIRE', KEYS[2], KEEP)
return 1
