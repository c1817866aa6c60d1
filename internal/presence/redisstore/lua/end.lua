-- Ends a user's session.
--
-- KEYS: state.lua, with the user's bucket
-- ARGV: user, epoch (0: whichever is live), state (SIGNED_OUT or DISCONNECTED)
-- Returns: 1 ended, 0 none was live, AHEAD

local epoch, state = tonumber(ARGV[HEADER + 2]), tonumber(ARGV[HEADER + 3])
if epoch > now + EPOCH_LEAD then
  return AHEAD
end
local u = read(ARGV[HEADER + 1], 0)
settle(u)
if epoch ~= 0 and epoch < u.epoch then
  return 0 -- an older session than the stored one: a late goodbye
end
u.epoch = math.max(epoch, u.epoch)
if u.online then
  leave(u, state)
  return 1
end
if u.epoch ~= 0 then
  u.state, u.since = state, now
  write(u)
  keep(u.seen)
end
return 0
