-- Notes how many subscribers a node has, and counts those of all nodes.
--
-- KEYS[1] {p:S:0}:meta    hash
-- KEYS[2] {p:S:0}:roster  hash  node -> subscribers, until when that counts (ms)
-- ARGV[3] node   ARGV[4] its subscribers   ARGV[5] for how long that counts (ms)
-- Returns: the subscribers of all nodes

if ARGV[4] == '0' then
  redis.call('HDEL', KEYS[2], ARGV[3])
else
  redis.call('HSET', KEYS[2], ARGV[3], string.format('%s %.0f', ARGV[4], now + ARGV[5]))
  redis.call('EXPIRE', KEYS[2], KEEP)
end
local all, nodes = 0, redis.call('HGETALL', KEYS[2])
for i = 1, #nodes, 2 do
  local subscribers, until_ms = string.match(nodes[i + 1], '^(%d+) (%d+)$')
  if subscribers and tonumber(until_ms) > now then
    all = all + subscribers
  else
    redis.call('HDEL', KEYS[2], nodes[i])
  end
end
return all
