-- One step of the unordered walk over one shard. Writes nothing.
--
-- KEYS[1] {p:s}:online or {p:s}:level, zset: which of them tells what the filter needs
-- ARGV[2] away after (ms)
-- ARGV[3] status: 'ONLINE', 'AWAY', or '' for both
-- ARGV[4] least and ARGV[5] greatest level, both '' with {p:s}:online
-- ARGV[6] where the scan stands ('0': at the start), as text: it has 64 bits
-- ARGV[7] how many users to look at, about
-- Returns: now (ms), where the scan stands ('0': it is over), then for each user
--   that the filter leaves: user, last activity (ms)

local away, status = now - tonumber(ARGV[2]), ARGV[3]
local least, greatest = tonumber(ARGV[4]), tonumber(ARGV[5])

local step = redis.call('ZSCAN', KEYS[1], ARGV[6], 'COUNT', ARGV[7])
local reply = { now, step[1] }
for i = 1, #step[2], 2 do
  local active, level = tonumber(step[2][i + 1]), NO_LEVEL
  if least then
    level = math.floor(active / LEVEL_UNIT)
    active = active - level * LEVEL_UNIT
  end
  if (status == '' or (status == 'AWAY') == (active <= away)) and (not least or (level >= least and level <= greatest)) then
    reply[#reply + 1] = step[2][i]
    reply[#reply + 1] = active
  end
end
return reply
