-- Gives a shard to which users are to be moved to one resharding, and has it say that they
-- are in the old ones until then: an earlier resharding may have left something else.
--
-- KEYS[1] {p:S:s}:meta  hash  layout; resharder: who alone copies to the shard, and clears it
-- ARGV[1] the layout of the shard   ARGV[2] the old one   ARGV[3] resharder
-- ARGV[4] for how long (s)
-- Returns: 1, or 0 if the users have been moved here meanwhile

if redis.call('HGET', KEYS[1], 'layout') == ARGV[1] then
  return 0
end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'layout', ARGV[2], 'resharder', ARGV[3])
redis.call('EXPIRE', KEYS[1], ARGV[4])
return 1
