-- Deletes keys of a shard that no users are in, if it is still the caller's to clear.
--
-- KEYS[1] {p:S:s}:meta  hash  resharder: who has claimed the shard, or has left it
-- KEYS[2…]              what to delete
-- ARGV[1] resharder
-- Returns: 1, or 0 if the shard is another's by now

if redis.call('HGET', KEYS[1], 'resharder') ~= ARGV[1] then
  return 0
end
if KEYS[2] then
  redis.call('UNLINK', unpack(KEYS, 2))
end
return 1
