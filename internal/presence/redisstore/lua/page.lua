-- One shard's part of a page of the list. Writes nothing, and reads no rows but
-- those that it returns: totals and starting points are ranks.
--
-- KEYS[2] {p:S:s}:online  zset  user -> last activity (ms)
-- KEYS[3] {p:S:s}:level   zset  user -> level * LEVEL_UNIT + last activity
-- ARGV[3] away after (ms)
-- ARGV[4] order: 'active' or 'level'   ARGV[5] '1' if descending
-- ARGV[6] status: 'ONLINE', 'AWAY', or '' for both
-- ARGV[7] least and ARGV[8] greatest level, or '' and '' for everybody
-- ARGV[9] how many rows at most
-- ARGV[10…12] the mark to start behind: user, last activity (ms), level; or none
-- Returns: now (ms), total, 1 if rows precede, 1 if rows are left, then for each
--   row: user, last activity (ms), level (-1: none or not known)

local online_key, level_key = KEYS[2], KEYS[3]
local away = now - tonumber(ARGV[3])
local by_level, descending = ARGV[4] == 'level', ARGV[5] == '1'
local status, least, greatest, limit = ARGV[6], tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
local mark
if ARGV[10] then
  mark = { user = ARGV[10], active = tonumber(ARGV[11]), level = tonumber(ARGV[12]) }
end

-- The activity that the status leaves: from 'low' to 'high', both included.
local low, high = 0, LEVEL_UNIT - 1
if status == 'AWAY' then
  high = away
elseif status == 'ONLINE' then
  low = away + 1
end

-- A range is a stretch of one sorted set that the filter leaves: the scores from
-- 'first' to 'last'. Scores are whole numbers, so first - 1 is just below.
local function range(key, level, first, last)
  return { key = key, level = level, first = first, last = last, size = redis.call('ZCOUNT', key, first, last) }
end

local function level_range(level)
  return range(level_key, level, level * LEVEL_UNIT + low, level * LEVEL_UNIT + high)
end

-- level_ranges are the levels of the filter that somebody has, one range each, rising.
local function level_ranges()
  local all, level = {}, least or NO_LEVEL
  while true do
    local next = redis.call('ZRANGEBYSCORE', level_key, level * LEVEL_UNIT, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
    level = next[2] and math.floor(tonumber(next[2]) / LEVEL_UNIT)
    if not level or (greatest and level > greatest) then
      return all
    end
    all[#all + 1] = level_range(level)
    level = level + 1
  end
end

-- whole_levels is all of the filter's levels in one range; NO_LEVEL is not among them.
local function whole_levels()
  return range(level_key, nil, (least or 0) * LEVEL_UNIT, greatest and (greatest + 1) * LEVEL_UNIT - 1 or '+inf')
end

local function sum(ranges)
  local size = 0
  for _, r in ipairs(ranges) do
    size = size + r.size
  end
  return size
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
  local from, to = redis.call('ZCOUNT', key, '-inf', score - 1), redis.call('ZCOUNT', key, '-inf', score)
  while from < to do
    local middle = math.floor((from + to) / 2)
    local found = redis.call('ZRANGE', key, middle, middle)[1]
    if found == user then
      return middle, middle + 1
    elseif less(found, user) then
      from = middle + 1
    else
      to = middle
    end
  end
  return from, from
end

-- open finds the ranks of a range that lie behind the mark: from 'from' to before
-- 'to'. It tells whether any lie before.
local function open(r)
  r.from = redis.call('ZCOUNT', r.key, '-inf', r.first - 1)
  r.to = r.from + r.size
  if not mark then
    return false
  end
  local level = 0
  if r.key == level_key then
    level = r.level or mark.level
  end
  local before, through = place(r.key, level * LEVEL_UNIT + mark.active, mark.user)
  if descending then
    r.to = math.max(r.from, math.min(r.to, before))
  else
    r.from = math.min(r.to, math.max(r.from, through))
  end
  return r.to - r.from < r.size
end

-- open_level is open in an order by level: a range of a level other than the mark's lies
-- before or behind it as a whole.
local function open_level(r)
  if not mark or r.level == mark.level or (not r.level and mark.level ~= NO_LEVEL) then
    return open(r)
  end
  local passed
  if r.level == NO_LEVEL or mark.level == NO_LEVEL then
    passed = r.level ~= NO_LEVEL -- those without a level are last
  else
    passed = (r.level > mark.level) == descending
  end
  if passed then
    r.from, r.to = 0, 0
    return r.size > 0
  end
  r.from = redis.call('ZCOUNT', r.key, '-inf', r.first - 1)
  r.to = r.from + r.size
  return false
end

-- take removes up to n rows from the front of an open range, in the order's direction.
local function take(r, n)
  n = math.min(n, r.to - r.from)
  local found
  if n <= 0 then
    return {}
  elseif descending then
    found = redis.call('ZRANGE', r.key, r.to - n, r.to - 1, 'WITHSCORES')
    r.to = r.to - n
  else
    found = redis.call('ZRANGE', r.key, r.from, r.from + n - 1, 'WITHSCORES')
    r.from = r.from + n
  end
  local rows = {}
  for i = 1, #found, 2 do
    local active, level = tonumber(found[i + 1]), NO_LEVEL
    if r.key == level_key then
      level = math.floor(active / LEVEL_UNIT)
      active = active - level * LEVEL_UNIT
    end
    local row = { user = found[i], active = active, level = level }
    if descending then
      rows[n - (i - 1) / 2] = row
    else
      rows[(i + 1) / 2] = row
    end
  end
  return rows
end

-- chain gives out one range behind the other.
local function chain(ranges)
  local opens = by_level and open_level or open
  local rows, before, left = {}, false, false
  for _, r in ipairs(ranges) do
    before = opens(r) or before
    for _, row in ipairs(take(r, limit - #rows)) do
      rows[#rows + 1] = row
    end
    left = left or r.to > r.from
  end
  return rows, before, left
end

-- earlier tells which of two ranges' heads comes first in an order by activity.
local function earlier(a, b)
  if a.head.active ~= b.head.active then
    return (a.head.active > b.head.active) == descending
  end
  return less(a.head.user, b.head.user) ~= descending
end

-- sink restores a heap of ranges below position i.
local function sink(heap, i)
  while true do
    local first, l, r = i, 2 * i, 2 * i + 1
    if heap[l] and earlier(heap[l], heap[first]) then
      first = l
    end
    if heap[r] and earlier(heap[r], heap[first]) then
      first = r
    end
    if first == i then
      return
    end
    heap[i], heap[first] = heap[first], heap[i]
    i = first
  end
end

-- merge gives out several levels' ranges by activity.
local function merge(ranges)
  local heap, before = {}, false
  for _, r in ipairs(ranges) do
    before = open(r) or before
    r.head = take(r, 1)[1]
    if r.head then
      heap[#heap + 1] = r
    end
  end
  for i = math.floor(#heap / 2), 1, -1 do
    sink(heap, i)
  end
  local rows = {}
  while #rows < limit and heap[1] do
    local r = heap[1]
    rows[#rows + 1] = r.head
    r.head = take(r, 1)[1]
    if not r.head then
      heap[1] = heap[#heap]
      heap[#heap] = nil
    end
    if heap[1] then
      sink(heap, 1)
    end
  end
  return rows, before, heap[1] ~= nil
end

-- matching is those of some users of the list who have a level that the filter leaves.
local function matching(rows)
  local users = {}
  for i, row in ipairs(rows) do
    users[i] = row.user
  end
  local scores = #users > 0 and redis.call('ZMSCORE', level_key, unpack(users)) or {}
  local list = {}
  for i, row in ipairs(rows) do
    row.level = math.floor(tonumber(scores[i] or -LEVEL_UNIT) / LEVEL_UNIT)
    if row.level >= least and row.level <= greatest then
      list[#list + 1] = row
    end
  end
  return list
end

local CHUNK = 64 -- rows that are looked at together

-- walk gives out the list by activity, and leaves out who does not match: for
-- filters that leave most.
local function walk()
  local r = range(online_key, nil, low, high)
  local first = redis.call('ZCOUNT', online_key, '-inf', low - 1)
  local last = first + r.size
  open(r)
  local rows = {}
  local behind = { from = r.from, to = r.to }
  while #rows <= limit and r.to > r.from do
    for _, row in ipairs(matching(take(r, CHUNK))) do
      rows[#rows + 1] = row
    end
  end
  local left = #rows > limit
  while #rows > limit do
    rows[#rows] = nil
  end

  -- The passed stretch, from the mark back to the start.
  local passed = { key = online_key, from = first, to = behind.from }
  if descending then
    passed = { key = online_key, from = behind.to, to = last }
  end
  local before = false
  descending = not descending
  while not before and passed.to > passed.from do
    before = #matching(take(passed, CHUNK)) > 0
  end
  descending = not descending
  return rows, before, left
end

-- by_rank puts ranges, given by rising level, into the order of levels: from high to
-- low, or from low to high, in both with those who have no level behind.
local function by_rank(ranges)
  if not descending then
    if ranges[1] and ranges[1].level == NO_LEVEL then
      local without = table.remove(ranges, 1)
      ranges[#ranges + 1] = without
    end
    return ranges
  end
  local turned = {}
  for i = #ranges, 1, -1 do
    turned[#turned + 1] = ranges[i]
  end
  return turned
end

local total, rows, before, left
if by_level then
  local ranges
  if status ~= '' then
    ranges = level_ranges()
  else
    ranges = least and { whole_levels() } or { level_range(NO_LEVEL), whole_levels() }
  end
  total = sum(ranges)
  rows, before, left = chain(by_rank(ranges))
elseif not least then
  local all = range(online_key, nil, low, high)
  total = all.size
  rows, before, left = chain({ all })
elseif limit == 0 then
  total, rows = status == '' and whole_levels().size or sum(level_ranges()), {}
else
  local all, ranges = redis.call('ZCARD', online_key), nil
  if status == '' then
    total = whole_levels().size
  else
    ranges = level_ranges()
    total = sum(ranges)
  end
  -- Merging asks each level, walking looks at all / total rows for each that it gives out.
  if limit * all < 4 * CHUNK * total then
    rows, before, left = walk()
  else
    rows, before, left = merge(ranges or level_ranges())
  end
end

local reply = { now, total, before and 1 or 0, left and 1 or 0 }
for _, row in ipairs(rows) do
  reply[#reply + 1] = row.user
  reply[#reply + 1] = row.active
  reply[#reply + 1] = row.level
end
return reply
