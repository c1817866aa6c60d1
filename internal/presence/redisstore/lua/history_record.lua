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

-- ring is one of the two, with the place of the unit that is now.
local function ring(key, unit_ms, kept)
  local unit = unit_of(now, unit_ms)
  return { key = key, unit = unit, at = unit % kept * RECORD_SIZE, size = kept * RECORD_SIZE, seconds = kept * unit_ms / 1000 }
end

-- read is what is known of now, of which an earlier unit may still have the place.
local function read(r)
  local record = redis.call('GETRANGE', r.key, r.at, r.at + RECORD_SIZE - 1)
  if #record == RECORD_SIZE then
    local unit, peak, sum, samples, part = struct.unpack(RECORD, record)
    if unit == r.unit then
      return peak, sum, samples, part
    end
  end
  return 0, 0, 0, -1
end

local function add(r, part)
  local peak, sum, samples = read(r)
  if redis.call('STRLEN', r.key) < r.size then -- made at its full size: Redis would double what grows
    redis.call('SETRANGE', r.key, r.size - 1, '\0')
  end
  redis.call('SETRANGE', r.key, r.at, struct.pack(RECORD, r.unit, math.max(peak, online), sum + online, samples + 1, part))
  redis.call('EXPIRE', r.key, r.seconds)
end

local minutes, hours = ring(KEYS[1], MINUTE, tonumber(ARGV[4])), ring(KEYS[2], HOUR, tonumber(ARGV[5]))
local part = math.floor(now % MINUTE / every)
local _, _, _, last = read(minutes)
if part <= last then
  return 0
end
add(minutes, part)
add(hours, 0)
return 1
