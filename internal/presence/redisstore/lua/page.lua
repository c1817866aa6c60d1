-- One shard's part of a page of the list. Writes nothing, and never reads more of
-- the list than it returns: totals and starting points are ranks.
--
-- KEYS[1] {p:s}:online  zset  user -> last activity (ms)
-- KEYS[2] {p:s}:level   zset  user -> level * 2^41 + last activity
-- ARGV[2] away after (ms)
-- ARGV[3] order: 'active' or 'level'   ARGV[4] '1' if descending
-- ARGV[5] status: 'ONLINE', 'AWAY', or '' for both
-- ARGV[6] least and ARGV[7] greatest level, or '' and '' for everybody
-- ARGV[8] how many rows at most
-- ARGV[9…11] the mark to start behind: user, last activity (ms), level; or none
-- Returns: now (ms), total, rows before the start, 1 if rows are left, then for
--   each row: user, last activity (ms), level (-1: none or not known)

local online_key, level_key = KEYS[1], KEYS[2]
local away = now - tonumber(ARGV[2])
local by_level, descending = ARGV[3] == 'level', ARGV[4] == '1'
local status, least, greatest, limit = ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local mark
if ARGV[9] then
  mark = { user = ARGV[9], active = tonumber(ARGV[10]), level = tonumber(ARGV[11]) }
end

-- The activity that the status leaves: from 'low' to 'high', both included.
local low, high = 0, LEVEL_UNIT - 1
if status == 'AWAY' then
  high = away
elseif status == 'ONLINE' then
  low = away + 1
end

-- A range is a stretch of one sorted set that the filter leaves: the ranks from
-- 'from' to before 'to'. Scores are whole numbers, so first - 1 is just below.
local function range(key, level, first, last)
  local from = redis.call('ZCOUNT', key, '-inf', first - 1)
  return { key = key, level = level, from = from, to = from + redis.call('ZCOUNT', key, first, last) }
end

local function level_range(level)
  local base = level * LEVEL_UNIT
  return range(level_key, level, base + low, base + high)
end

-- ranges that the filter leaves, by rising level.
local function ranges()
  if not by_level and not least then
    return { range(online_key, nil, low, high) }
  end
  if by_level and status == '' then -- whole levels: one range, and one for those without
    local some = range(level_key, nil, (least or 0) * LEVEL_UNIT, greatest and (greatest + 1) * LEVEL_UNIT - 1 or '+inf')
    return least and { some } or { level_range(NO_LEVEL), some }
  end
  local all, level = {}, least or NO_LEVEL
  while not greatest or level <= greatest do -- hop over the levels that nobody has
    local next = redis.call('ZRANGEBYSCORE', level_key, level * LEVEL_UNIT, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
    if not next[2] then
      break
    end
    level = math.floor(tonumber(next[2]) / LEVEL_UNIT)
    if greatest and level > greatest then
      break
    end
    all[#all + 1] = level_range(level)
    level = level + 1
  end
  return all
end

-- Lua's own comparison follows the server's locale, a sorted set compares bytes.
local function less(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then
      return x < y
    end
  end
  return #a < #b
end

-- place is how many members of key come before (score, user), and how many
-- before or at it.
local function place(key, score, user)
  if tonumber(redis.call('ZSCORE', key, user) or '') == score then
    local rank = redis.call('ZRANK', key, user)
    return rank, rank + 1
  end
  local from = redis.call('ZCOUNT', key, '-inf', score - 1)
  local to = from + redis.call('ZCOUNT', key, score, score)
  while from < to do
    local middle = math.floor((from + to) / 2)
    if less(redis.call('ZRANGE', key, middle, middle)[1], user) then
      from = middle + 1
    else
      to = middle
    end
  end
  return from, from
end

-- skip takes from a range what the mark has passed; returns how many.
local function skip(r)
  if not mark then
    return 0
  end
  local level = 0
  if r.key == level_key then
    level = by_level and mark.level or r.level
  end
  local before, through = place(r.key, level * LEVEL_UNIT + mark.active, mark.user)
  local size = r.to - r.from
  if descending then
    r.to = math.max(r.from, math.min(r.to, before))
  else
    r.from = math.min(r.to, math.max(r.from, through))
  end
  return size - (r.to - r.from)
end

local function rows(r, from, to)
  local found = redis.call('ZRANGE', r.key, from, to - 1, 'WITHSCORES')
  local list = {}
  for i = 1, #found, 2 do
    local score = tonumber(found[i + 1])
    local level = r.key == level_key and math.floor(score / LEVEL_UNIT) or NO_LEVEL
    list[#list + 1] = { user = found[i], level = level, active = r.key == level_key and score - level * LEVEL_UNIT or score }
  end
  return list
end

-- take removes n rows from the front of a range, in the order's direction.
local function take(r, n)
  local list
  if not descending then
    list = rows(r, r.from, r.from + n)
    r.from = r.from + n
    return list
  end
  local turned = rows(r, r.to - n, r.to)
  r.to = r.to - n
  list = {}
  for i = #turned, 1, -1 do
    list[#list + 1] = turned[i]
  end
  return list
end

local list = ranges()
local total, before = 0, 0
for _, r in ipairs(list) do
  total = total + r.to - r.from
end

-- The order of the ranges in an order by level: from high to low, or from low to
-- high with those who have no level behind.
if descending then
  local turned = {}
  for i = #list, 1, -1 do
    turned[#turned + 1] = list[i]
  end
  list = turned
elseif by_level and list[1] and list[1].level == NO_LEVEL then
  local without = table.remove(list, 1)
  list[#list + 1] = without
end
for _, r in ipairs(list) do
  local without = r.level == NO_LEVEL
  if mark and by_level and not descending and without ~= (mark.level == NO_LEVEL) then
    if not without then -- all levels lie before a mark among those without
      before, r.from = before + r.to - r.from, r.to
    end
  else
    before = before + skip(r)
  end
end

local picked = {}
if by_level or #list == 1 then -- one range behind the other
  for _, r in ipairs(list) do
    local n = math.min(limit - #picked, r.to - r.from)
    if n > 0 then
      for _, row in ipairs(take(r, n)) do
        picked[#picked + 1] = row
      end
    end
  end
else -- by activity over several levels: merge their heads
  local function first(a, b)
    if a.active ~= b.active then
      return (a.active > b.active) == descending
    end
    return less(a.user, b.user) ~= descending
  end
  for _, r in ipairs(list) do
    r.head = r.to > r.from and take(r, 1)[1] or nil
  end
  while #picked < limit do
    local best
    for _, r in ipairs(list) do
      if r.head and (not best or first(r.head, best.head)) then
        best = r
      end
    end
    if not best then
      break
    end
    picked[#picked + 1] = best.head
    best.head = best.to > best.from and take(best, 1)[1] or nil
  end
end

local left = 0
for _, r in ipairs(list) do
  if r.head or r.to > r.from then
    left = 1
  end
end
local reply = { now, total, before, left }
for _, row in ipairs(picked) do
  reply[#reply + 1] = row.user
  reply[#reply + 1] = row.active
  reply[#reply + 1] = row.level
end
return reply
