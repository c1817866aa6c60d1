-- What every script of a shard shares; it is put between clock.lua and each of them.
--
-- KEYS[1] {p:S:s}:meta  hash  layout: that in which the users of this shard are stored
-- ARGV[2] layout of the caller, who is refused if the shard has another

-- A user's record, in {p:S:s}:session:B while online and in {p:S:s}:seen:B after: state
-- (1 byte), epoch (6), since (online since, or offline since), lease end, last
-- activity (5 each, from BASE on, 0: never), nonce of the sign-in (3), level (2), and
-- the device of the live session. With a device of 37 bytes it has 64: Redis
-- keeps no longer values in a listpack. Another format needs another recordFormat in layout.go.
local RECORD, RECORD_SIZE = '>BI6I5I5I5I3h', 27
local LEASE_END, LEASE_END_AT = '>I5', 13 -- where the lease end stands in it
local BASE = 1577836800000 -- 2020
local KEEP = 259200        -- seconds that a key outlives its last write: 3 days

local layout = redis.call('HGET', KEYS[1], 'layout')
if layout and layout ~= ARGV[2] then
  return redis.error_reply('LAYOUT ' .. layout)
end

local function from_base(time)
  return time == 0 and 0 or time + BASE
end

local function to_base(time)
  return time > BASE and time - BASE or 0
end

-- unpack_record is nil for what is no record, which counts as nothing. The user, the
-- hashes session and seen in which they may be and whether they are online are for
-- scripts that write; a table that grows later costs twice the time.
local function unpack_record(record, user, session, seen, online)
  if not record or #record < RECORD_SIZE then
    return nil
  end
  local state, epoch, since, lease_end, active, nonce, level, device_at = struct.unpack(RECORD, record)
  return { id = user, session = session, seen = seen, online = online,
    state = state, epoch = epoch, since = from_base(since), lease_end = from_base(lease_end),
    active = from_base(active), nonce = nonce, level = level, device = string.sub(record, device_at) }
end

-- lease_end_of is all that a sweep needs of most records, which it reads by the
-- thousand: a third of what unpacking costs. nil for what is no record.
local function lease_end_of(record)
  return #record >= RECORD_SIZE and from_base((struct.unpack(LEASE_END, record, LEASE_END_AT))) or nil
end

local function pack_record(u)
  return struct.pack(RECORD, u.state, u.epoch, to_base(u.since), to_base(u.lease_end), to_base(u.active),
    u.nonce, u.level) .. u.device
end

-- forgotten tells whether a user offline since then counts as never seen; the
-- record stays until forget.lua finds it.
local function forgotten(since)
  return since <= now - SEEN_FOR
end
