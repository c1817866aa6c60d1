-- Says of a shard that its users are stored in another layout by now.
--
-- KEYS[1] {p:S:s}:meta    hash
-- KEYS[2] {p:S:s}:events  stream  its last entry, which wakes who waits for events
-- ARGV[3] resharder, who must have it frozen   ARGV[4] the other layout
-- Returns: 1, or 0 if the shard was not kept frozen

local meta_key, events_key, resharder, other = KEYS[1], KEYS[2], ARGV[3], ARGV[4]

local meta = redis.call('HMGET', meta_key, 'resharder', 'held', 'frozen')
if meta[1] ~= resharder or tonumber(meta[2]) <= now or meta[3] ~= '1' then
  return 0
end
redis.call('DEL', meta_key)
redis.call('HSET', meta_key, 'layout', other)
redis.call('EXPIRE', meta_key, KEEP)
redis.call('XADD', events_key, '*', 'type', 'MOVED')
redis.call('EXPIRE', events_key, KEEP)
return 1
