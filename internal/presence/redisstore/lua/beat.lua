-- Heartbeats of users of one shard, in their order.
--
-- KEYS: state.lua, with the buckets of the users
-- ARGV, for each beat: user, and as BEAT with the device behind it: bucket (from 0,
--   among KEYS), kind (ACTIVE, BACKGROUND or PONG), epoch (0: sign in), nonce (of a sign-in)
-- Returns: now (ms), then for each beat: code, epoch, lease end (ms)
--   codes: SIGNED_IN, REFRESHED, RESUMED, REPLACED_OTHER_DEVICE; refused, nothing
--   changed: REPLACED, ENDED, AHEAD (constants.go)

local BEAT = '>HBI7I3' -- packBeat writes it: one text is read faster than four

-- admit decides what a beat with this epoch from this device does: its code, and
-- the epoch that is to be live then.
local function admit(u, epoch, device, nonce)
  if epoch == 0 then
    if nonce ~= 0 and nonce == u.nonce and u.online and u.device == device then
      return SIGNED_IN, u.epoch -- the same sign-in once more
    end
    epoch = math.max(now, u.epoch + 1)
    return u.online and u.device ~= device and REPLACED_OTHER_DEVICE or SIGNED_IN, epoch
  end
  if epoch > u.epoch then -- the store lost what came before
    if not u.online then
      return RESUMED, epoch
    end
    return u.device == device and REFRESHED or REPLACED_OTHER_DEVICE, epoch
  end
  if not u.online and u.state ~= EXPIRED then
    return ENDED
  end
  if epoch < u.epoch or (u.online and u.device ~= device) then
    return REPLACED
  end
  return u.online and REFRESHED or RESUMED, epoch
end

local begun = false -- a session: what the shard's keys are kept for

local function beat(u, device, epoch, nonce, kind)
  if epoch > now + EPOCH_LEAD then
    return AHEAD
  end
  settle(u)
  local code, live = admit(u, epoch, device, nonce)
  if code < 0 then
    return code
  end

  local lease_end = now + (kind == BACKGROUND and background_ttl or ttl)
  if u.online and live == u.epoch then
    lease_end = math.max(lease_end, u.lease_end)
  end
  local came, moved = not u.online, kind == ACTIVE and now > u.active
  local back = kind == ACTIVE and u.state == AWAY
  if moved then
    u.active = now
  end
  if came then
    u.online, u.since = true, now
    u.state = u.active <= now - away_after and AWAY or ONLINE
  elseif back then
    u.state = ONLINE
  end
  local fresh = came or live ~= u.epoch
  u.epoch, u.device, u.lease_end = live, device, lease_end
  if epoch == 0 then
    u.nonce = nonce
  end
  write(u) -- the first write, which a server without memory refuses
  if came then
    redis.call('HDEL', u.seen, u.id)
  end
  if came or moved then
    list(u)
  end
  if fresh then
    keep(u.session)
    begun = true
  end

  if came then
    event('ONLINE', u)
  elseif back or code == REPLACED_OTHER_DEVICE then
    event('UPDATED', u)
  end
  return code
end

local reply, accepted = { now }, 0
for i = HEADER + 1, #ARGV, 2 do
  local bucket, kind, epoch, nonce, device_at = struct.unpack(BEAT, ARGV[i + 1])
  local u = read(ARGV[i], bucket)
  local code = beat(u, string.sub(ARGV[i + 1], device_at), epoch, nonce, kind)
  if code >= 0 then
    accepted = accepted + 1
  end
  reply[#reply + 1] = code
  reply[#reply + 1] = u.epoch
  reply[#reply + 1] = u.lease_end
end
place()
redis.call('HINCRBY', meta_key, 'beats', accepted)
if begun then
  keep(meta_key, events_key, online_key, level_key) -- now that they are there
end
return reply
