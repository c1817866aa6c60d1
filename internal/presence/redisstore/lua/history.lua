-- What the scripts of the online history share; it is put in front of each of them. The history
-- is of the whole store and not of a shard, so it knows no layout.
--
-- ARGV[1] now (ms) in tests, '' for the server's clock

-- A ring is a string of records, one for each minute or hour that is kept, at its number since
-- 1970 modulo how many are kept: number (4 bytes), largest sample (4), sum of the samples (5),
-- how many (2), and in a minute which part of it the last sample was of (1).
local RECORD, RECORD_SIZE = '>I4I4I5I2B', 16

local now = tonumber(ARGV[1])
if not now then
  local t = redis.call('TIME')
  now = t[1] * 1000 + math.floor(t[2] / 1000)
end

-- unit_of is the number of the minute or hour that a time is in.
local function unit_of(time, unit_ms)
  return math.floor(time / unit_ms)
end
