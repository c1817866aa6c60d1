-- The newest entry of one shard's event log; begins the log if there is none.
--
-- KEYS: state.lua, no bucket
-- ARGV: those of state.lua alone
-- Returns: the entry's id

return redis.call('XREVRANGE', events_key, '+', '-', 'COUNT', 1)[1][1]
