-- Takes one from a bucket that all nodes share.
--
-- KEYS: the bucket, a string: when it will be full again, in microseconds; none is full
-- ARGV: the time in which one is given back, the time in which the whole bucket is (microseconds)
-- Returns: 0 taken, or how long until there is one again, in microseconds

local share, per = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now) + share
local wait = full - now - per
if wait > 0 then
  return math.ceil(wait)
end
redis.call('SET', KEYS[1], string.format('%.0f', full), 'PX', math.ceil((full - now) / 1000))
return 0
