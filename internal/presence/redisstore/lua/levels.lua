-- Sets the levels by which users of one shard are listed; those who aren't
-- online are passed over.
--
-- KEYS: state.lua, with the buckets of the users
-- ARGV, for each user: user, level (-1: none), bucket (from 0, among KEYS)
-- Returns: how many changed

local changed = 0
for i = HEADER + 1, #ARGV, 3 do
  local u, level = read(ARGV[i], ARGV[i + 2]), tonumber(ARGV[i + 1])
  if u.online and u.level ~= level then
    u.level = level
    write(u)
    list(u)
    changed = changed + 1
  end
end
place()
return changed
