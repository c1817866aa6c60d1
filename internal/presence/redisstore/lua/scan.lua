-- One step of the unordered walk over one shard. Writes nothing.
--
-- KEYS[2] {p:S:s}:online or {p:S:s}:level, zset: which of them tells what the filter needs
-- ARGV[3] away after (ms)
-- ARGV[4] status: 'ONLINE', 'AWAY', or '' for both
-- ARGV[5] least and ARGV[6] greatest level, both '' with {p:S:s}:online
-- ARGV[7] where the scan stands ('0': at the start), as text: it has 64 bits
-- ARGV[8] how many users to look at, about
-- Returns: now (ms), where the scan stands ('0': it is over), then for each user
--   that the filter leaves: user, last activity (ms)

local away, status = now - tonumber(ARGV[3]), ARGV[4]
local least, greatest = tonumber(ARGV[5]), tonumber(ARGV[6])

local step = redis.call('ZSCAN', KEYS[2], ARGV[7], 'COUNT', ARGV[8])
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
