-- Notes how many subscribers a node has, and counts those of all nodes.
--
-- KEYS[1] {p:S:0}:meta    hash
-- KEYS[2] {p:S:0}:roster  hash  node -> subscribers, until when that counts (ms)
-- ARGV[3] node   ARGV[4] its subscribers   ARGV[5] for how long that counts (ms)
-- Returns: the subscribers of all nodes

local roster_key, node, own, lasts = KEYS[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])

if own == 0 then
  redis.call('HDEL', roster_key, node)
else
  redis.call('HSET', roster_key, node, string.format('%.0f %.0f', own, now + lasts))
  redis.call('EXPIRE', roster_key, KEEP)
end
local all, nodes = 0, redis.call('HGETALL', roster_key)
for i = 1, #nodes, 2 do
  local subscribers, until_ms = string.match(nodes[i + 1], '^(%d+) (%d+)$')
  if subscribers and tonumber(until_ms) > now then
    all = all + tonumber(subscribers)
  else
    redis.call('HDEL', roster_key, nodes[i])
  end
end
return all
