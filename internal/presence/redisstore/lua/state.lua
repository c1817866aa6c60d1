-- What every script that writes shares; it is put between common.lua and each of
-- them.
--
-- KEYS[1] {p:S:s}:meta    hash    swept, grace (ms), beats, sweeper, until (ms), away (ms), layout,
--                               resharder, held (ms), frozen
-- KEYS[2] {p:S:s}:events  stream  transitions, and first of all the genesis
-- KEYS[3] {p:S:s}:online  zset    user -> last activity (ms), of those online
-- KEYS[4] {p:S:s}:level   zset    user -> level * LEVEL_UNIT + last activity
-- KEYS[5…]              for each bucket that the call needs, two:
--   {p:S:s}:session:B     hash    user -> record, of those online
--   {p:S:s}:seen:B        hash    user -> record, of those offline
--
-- ARGV[3] TTL (ms)   ARGV[4] background TTL (ms)   ARGV[5] away after (ms)
-- ARGV[6] gap (ms)   ARGV[7] event log's length    ARGV[8] '1' with the level index
-- ARGV[9] '1' if the node could not reach this shard since it last swept it
-- ARGV[10] '1' if a shard in which nothing is stored may be begun; see Store.begin

local ttl, background_ttl, away_after, gap = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local log_length, level_index = ARGV[7], ARGV[8] == '1'
local meta_key, events_key, online_key, level_key = KEYS[1], KEYS[2], KEYS[3], KEYS[4]

local HEADER = 10 -- the ARGV of the call itself begin behind
local STATUS = { 'ONLINE', 'AWAY', 'OFFLINE', 'OFFLINE', 'OFFLINE' } -- by state
local REASON = { '', '', 'EXPIRED', 'SIGNED_OUT', 'DISCONNECTED' }

local function keep(...)
  for _, key in ipairs({ ... }) do
    redis.call('EXPIRE', key, KEEP)
  end
end

-- event records a transition. All events have the same fields in the same order,
-- which a stream stores once.
local function event(type, u)
  redis.call('XADD', events_key, 'MAXLEN', '~', log_length, '*', 'type', type, 'user', u.id, 'at', now,
    'reason', REASON[u.state], 'status', STATUS[u.state], 'active', u.active,
    'since', u.online and u.since or 0, 'device', u.device, 'epoch', u.epoch)
end

-- begin_log writes the genesis. Its id is of this moment, and none that an earlier
-- log can have used, even if that was lost within this millisecond.
local function begin_log()
  local t = redis.call('TIME')
  local id = string.format('%.0f-%.0f', t[1] * 1000 + math.floor(t[2] / 1000), (t[2] % 1000 + 1) * 1048576)
  redis.call('XADD', events_key, id, 'type', 'GENESIS')
end

-- grace is the time until which no lease is over.
local grace
do
  local meta = redis.call('HMGET', meta_key, 'swept', 'grace', 'frozen', 'held')
  local swept = tonumber(meta[1])
  if meta[3] and tonumber(meta[4]) > now then
    return redis.error_reply('RESHARDING the shard takes no writes for a moment')
  end
  grace = tonumber(meta[2]) or 0
  if not swept then -- a new store, or one that lost its data
    if ARGV[10] ~= '1' then
      return redis.error_reply('EMPTY nothing is stored in the shard')
    end
    grace = now + ttl
    redis.call('HSET', meta_key, 'swept', now, 'grace', grace, 'layout', ARGV[2])
    begin_log()
    keep(meta_key, events_key)
  elseif now - swept > gap or swept - now > gap then
    -- Nobody could have told who was alive, or the clock was set back.
    grace = now + ttl
    redis.call('HSET', meta_key, 'grace', grace)
  elseif ARGV[9] == '1' then -- see sweep.lua
    grace = now + ttl
  end
end

-- read is what is known of a user; epoch 0 where nothing is. The bucket is
-- counted from 0 among those in KEYS.
local function read(user, bucket)
  local session, seen = KEYS[5 + 2 * bucket], KEYS[6 + 2 * bucket]
  local u = unpack_record(redis.call('HGET', session, user), user, session, seen, true)
  if u then
    return u
  end
  u = unpack_record(redis.call('HGET', seen, user), user, session, seen, false)
  if u and not forgotten(u.since) then
    return u
  end
  return { id = user, session = session, seen = seen, online = false, state = EXPIRED, epoch = 0, since = 0,
    lease_end = 0, active = 0, nonce = 0, level = NO_LEVEL, device = '' }
end

local function write(u)
  redis.call('HSET', u.online and u.session or u.seen, u.id, pack_record(u))
end

-- place puts the users whom list has gathered where their last activity and level
-- say: one ZADD for many costs half as much as one for each, and a score as text a
-- third of what Redis takes for a number. A script that lists must place at its end.
local MOST = 1000 -- Lua takes 8,000 arguments
local listed, by_activity, by_level, texts = 0, { online_key }, { level_key }, {}

local function place()
  if listed > 0 then
    redis.call('ZADD', unpack(by_activity))
    if level_index then
      redis.call('ZADD', unpack(by_level))
    end
  end
  listed, by_activity, by_level = 0, { online_key }, { level_key }
end

local function text(score)
  texts[score] = texts[score] or string.format('%.0f', score)
  return texts[score]
end

local function list(u)
  local at = 2 * listed + 2
  listed = listed + 1
  by_activity[at], by_activity[at + 1] = text(u.active), u.id
  if level_index then
    by_level[at], by_level[at + 1] = text(u.level * LEVEL_UNIT + u.active), u.id
  end
  if listed == MOST then
    place()
  end
end

-- leave ends the live session of u; u.epoch is the epoch to remember as ended.
local function leave(u, state)
  redis.call('HDEL', u.session, u.id)
  redis.call('ZREM', online_key, u.id)
  if level_index then
    redis.call('ZREM', level_key, u.id)
  end
  u.online, u.state, u.since, u.lease_end, u.device = false, state, now, 0, ''
  write(u)
  keep(u.seen)
  event('OFFLINE', u)
end

-- settle records what time has done to u before anything else happens to it.
local function settle(u)
  if not u.online then
    return
  end
  if u.lease_end <= now and now >= grace then
    leave(u, EXPIRED)
  elseif u.state == ONLINE and u.active <= now - away_after then
    u.state = AWAY
    write(u)
    event('UPDATED', u)
  end
end
