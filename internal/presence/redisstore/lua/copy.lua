-- Writes users' records as they are in the shard from which they are moved. No events.
--
-- KEYS[1] {p:S:s}:meta    hash    layout: the old one, in which the users still are
-- KEYS[2] {p:S:s}:online  zset    user -> last activity (ms), of those online
-- KEYS[3] {p:S:s}:level   zset    user -> level * LEVEL_UNIT + last activity
-- KEYS[4…]                for each bucket that the call needs, two:
--   {p:S:s}:session:B     hash    user -> record, of those online
--   {p:S:s}:seen:B        hash    user -> record, of those offline
-- ARGV[3] '1' with the level index
-- ARGV[4…], for each user: user, record, bucket (from 0, among KEYS)
-- Returns: 1

local online_key, level_key, level_index = KEYS[2], KEYS[3], ARGV[3] == '1'

local touched = { [online_key] = true, [level_key] = true }

local function copy(user, record, u, at)
  local online = u.state == ONLINE or u.state == AWAY
  local here, gone = KEYS[online and at or at + 1], KEYS[online and at + 1 or at]
  redis.call('HSET', here, user, record)
  redis.call('HDEL', gone, user)
  touched[here] = true
  if not online then
    redis.call('ZREM', online_key, user)
    redis.call('ZREM', level_key, user)
  else
    redis.call('ZADD', online_key, u.active, user)
    if level_index then
      redis.call('ZADD', level_key, u.level * LEVEL_UNIT + u.active, user)
    end
  end
end

for i = 4, #ARGV, 3 do
  local u = unpack_record(ARGV[i + 1])
  if u then
    copy(ARGV[i], ARGV[i + 1], u, 4 + 2 * ARGV[i + 2])
  end
end
for key in pairs(touched) do
  redis.call('EXPIRE', key, KEEP)
end
return 1
