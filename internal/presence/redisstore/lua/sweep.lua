-- Records the leases that are over in some buckets of one shard, and finds
-- whom to settle for AWAY. One node at a time does it.
--
-- KEYS: state.lua, with the buckets to look at
-- ARGV: node, hold (ms that the node keeps the sweeping), limit of expirations
--   and of candidates
-- Returns: elsewhere (1: another node sweeps, nothing was done), now (ms),
--   beats, expired, away mark (ms), candidates, then for each bucket when to
--   look again (ms; 0: not looked at, or not to its end, for the limit)

local node, hold, limit = ARGV[HEADER + 1], tonumber(ARGV[HEADER + 2]), tonumber(ARGV[HEADER + 3])
local meta = redis.call('HMGET', meta_key, 'sweeper', 'until', 'beats', 'away')
local held, beats = tonumber(meta[2]) or 0, tonumber(meta[3]) or 0
if meta[1] and meta[1] ~= node and held > now and held <= now + hold then
  return { 1, now, beats, 0, 0, {} }
end
-- If this node, which now sweeps, could not reach the shard, nobody else has swept
-- it either: it was an outage, however short. If another node has, it was this
-- node's own trouble, which grants its own users' next beats grace and nobody else.
redis.call('HSET', meta_key, 'sweeper', node, 'until', now + hold, 'swept', now, 'grace', grace)
keep(meta_key, events_key, online_key, level_key)

local expired = 0

-- lose takes a user out of the list whose record can't be read. No event: nothing is
-- known of them but that they will be back at their next beat.
local function lose(user, session)
  redis.call('HDEL', session, user)
  redis.call('ZREM', online_key, user)
  redis.call('ZREM', level_key, user)
end

-- look expires whom it finds in a bucket, and returns when to look again: at the
-- earliest lease end left, and within a TTL, before which no lease begun later ends.
local function look(session, seen)
  if expired >= limit then
    return 0
  end
  local again = now + ttl
  local records = redis.call('HGETALL', session)
  for i = 1, #records, 2 do
    local lease_end = lease_end_of(records[i + 1])
    if not lease_end then
      lose(records[i], session)
    elseif lease_end > now or now < grace then
      again = math.min(again, math.max(lease_end, grace))
    elseif expired < limit then
      leave(unpack_record(records[i + 1], records[i], session, seen, true), EXPIRED)
      expired = expired + 1
    else
      again = 0
    end
  end
  if #records > 0 then
    keep(session)
  end
  return again
end

local looks = {}
for at = 5, #KEYS, 2 do
  looks[#looks + 1] = look(KEYS[at], KEYS[at + 1])
end

-- Those whose activity lies behind the last mark and not behind the new one are
-- newly AWAY. A full answer is completed by all who share the last one's
-- activity, so that the mark can be set there.
local mark, after = now - away_after, meta[4] and meta[4] + 1 or '-inf'
local candidates = redis.call('ZRANGEBYSCORE', online_key, after, mark, 'LIMIT', 0, limit)
if #candidates == limit then
  mark = tonumber(redis.call('ZSCORE', online_key, candidates[limit]))
  candidates = redis.call('ZRANGEBYSCORE', online_key, after, mark)
elseif #candidates == 0 then
  redis.call('HSET', meta_key, 'away', mark)
end

local reply = { 0, now, beats, expired, mark, candidates }
for _, again in ipairs(looks) do
  reply[#reply + 1] = again
end
return reply
