-- What every script shares; it is put in front of each of them. Before it stand the
-- domain's constants (see script.go), in milliseconds: SEEN_FOR, EPOCH_LEAD.
--
-- ARGV[1] now (ms) in tests, '' for the server's clock

-- A user's record, in {p:s}:session:B while online and in {p:s}:seen:B after: state
-- (1 byte), epoch, since (online since, or offline since), lease end, last
-- activity (6 bytes each), nonce of the sign-in (4 bytes), level (2 bytes), and the
-- device of the live session.
local RECORD = '>BI6I6I6I6I4h'
local ONLINE, AWAY, EXPIRED, SIGNED_OUT, DISCONNECTED = 1, 2, 3, 4, 5

local LEVEL_UNIT = 2199023255552 -- 2^41: a composite score is level * LEVEL_UNIT + last activity
local NO_LEVEL = -1

local now = tonumber(ARGV[1])
if not now then
  local t = redis.call('TIME')
  now = t[1] * 1000 + math.floor(t[2] / 1000)
end

-- forgotten tells whether a user offline since then counts as never seen; the
-- record stays until forget.lua finds it.
local function forgotten(since)
  return since <= now - SEEN_FOR
end
