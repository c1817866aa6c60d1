-- The newest entry of one shard's event log; begins the log if there is none.
--
-- KEYS: state.lua, no bucket
-- ARGV: those of state.lua alone
-- Returns: the entry's id

if redis.call('EXISTS', events_key) == 0 then -- lost, though the rest was not
  begin_log()
  keep(events_key)
end
return redis.call('XREVRANGE', events_key, '+', '-', 'COUNT', 1)[1][1]
