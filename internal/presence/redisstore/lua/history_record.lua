-- Counts how many users are online as the sample of now, unless there is one of the same part of
-- the minute, or of a later one.
--
-- KEYS[1] {p:history}:minute  string  ring of the minutes
-- KEYS[2] {p:history}:hour    string  ring of the hours
-- ARGV[2] users online   ARGV[3] part of a minute that one sample is of (ms)
-- ARGV[4] minutes kept   ARGV[5] hours kept
-- Returns: 1, or 0 if there was one

local online, every = tonumber(ARGV[2]), tonumber(ARGV[3])
local MINUTE, HOUR = 60000, 3600000
local minutes = { key = KEYS[1], unit = unit_of(now, MINUTE), unit_ms = MINUTE, kept = tonumber(ARGV[4]) }
local hours = { key = KEYS[2], unit = unit_of(now, HOUR), unit_ms = HOUR, kept = tonumber(ARGV[5]) }

-- read is the record of a ring's unit, which may still have that of an earlier one in its place.
local function read(ring)
  ring.at = ring.unit % ring.kept * RECORD_SIZE
  local record = redis.call('GETRANGE', ring.key, ring.at, ring.at + RECORD_SIZE - 1)
  if #record < RECORD_SIZE then -- made at its full size: Redis would double what grows
    redis.call('SETRANGE', ring.key, ring.kept * RECORD_SIZE - 1, '\0')
    return 0, 0, 0, -1
  end
  local unit, peak, sum, samples, part = struct.unpack(RECORD, record)
  if unit ~= ring.unit then
    return 0, 0, 0, -1
  end
  return peak, sum, samples, part
end

local function add(ring, part)
  local peak, sum, samples = read(ring)
  local record = struct.pack(RECORD, ring.unit, math.max(peak, online), sum + online, samples + 1, part)
  redis.call('SETRANGE', ring.key, ring.at, record)
  redis.call('EXPIRE', ring.key, ring.kept * ring.unit_ms / 1000)
end

local part = math.floor(now % MINUTE / every)
local _, _, _, last = read(minutes)
if part <= last then
  return 0
end
add(minutes, part)
add(hours, 0)
return 1
