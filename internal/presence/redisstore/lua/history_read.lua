-- Reads a part of the online history.
--
-- KEYS[1] {p:history}:minute or :hour  string  the ring
-- ARGV[2] what a record stands for (ms)   ARGV[3] records kept
-- ARGV[4] from   ARGV[5] to (ms)          ARGV[6] the most records to answer with
-- Returns: the number of the first minute or hour, and the records from it on, those of
-- earlier ones among them; -1 if they would be too many

local key, unit_ms, kept = KEYS[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local from, to, most = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])

-- As presence.Resolution.Span has it.
local current = unit_of(now, unit_ms)
local first = math.max(unit_of(from, unit_ms), current - kept + 1)
local last = math.min(unit_of(to - 1, unit_ms), current)
if last - first >= most then
  return { -1, '' }
end
if last < first then
  return { first, '' }
end

-- range is the records at places of the ring.
local function range(begin, stop)
  return redis.call('GETRANGE', key, begin * RECORD_SIZE, (stop + 1) * RECORD_SIZE - 1)
end

local begin, stop = first % kept, last % kept
if begin <= stop then
  return { first, range(begin, stop) }
end
return { first, range(begin, kept - 1) .. range(0, stop) }
