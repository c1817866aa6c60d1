-- Forgets the users of one bucket who have been offline for long.
--
-- KEYS: state.lua, with one bucket
-- ARGV: those of state.lua alone
-- Returns: how many were forgotten

local seen, gone = KEYS[6], 0
local records = redis.call('HGETALL', seen)
for i = 1, #records, 2 do
  local u = unpack_record(records[i + 1])
  if not u or forgotten(u.since) then
    redis.call('HDEL', seen, records[i])
    gone = gone + 1
  end
end
keep(seen)
return gone
