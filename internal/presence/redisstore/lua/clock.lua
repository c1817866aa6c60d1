-- The time, which is the server's; it is put in front of each script that needs it. Before it
-- stand the numbers that Go and the scripts share; see constants.go.
--
-- ARGV[1] now (ms) in tests, '' for the server's clock

local now = tonumber(ARGV[1])
if not now then
  local t = redis.call('TIME')
  now = t[1] * 1000 + math.floor(t[2] / 1000)
end
