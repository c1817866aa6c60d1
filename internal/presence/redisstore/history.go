package redisstore

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"rollcall/internal/presence"
)

// historyRecord is the size of a record; see lua/history.lua.
const historyRecord = 16

// RecordOnline implements presence.History by history_record.lua.
func (s *Store) RecordOnline(ctx context.Context, online int) error {
	k := newHistoryKeys(s.opts.Prefix)
	_, err := s.runHistory(ctx, s.scripts.historyRecord, []string{k.minute, k.hour},
		online, presence.SampleEvery.Milliseconds(), presence.ByMinute.Kept(), presence.ByHour.Kept())
	return err
}

// OnlineHistory implements presence.History by history_read.lua.
func (s *Store) OnlineHistory(ctx context.Context, from, to presence.Millis, r presence.Resolution) ([]presence.OnlinePoint, error) {
	k := newHistoryKeys(s.opts.Prefix)
	key := k.minute
	if r == presence.ByHour {
		key = k.hour
	}
	answer, err := s.runHistory(ctx, s.scripts.historyRead, []string{key},
		r.Unit().Milliseconds(), r.Kept(), int64(from), int64(to), presence.MaxPoints)
	if err != nil {
		return nil, err
	}
	read := newReader(answer)
	first, records := read.number(), read.text()
	switch {
	case read.err != nil:
		return nil, fmt.Errorf("history: %w", read.err)
	case first < 0:
		return nil, presence.ErrTooManyPoints
	}
	return decodeHistory(first, []byte(records), r), nil
}

// decodeHistory leaves out the records of earlier units than those from first on.
func decodeHistory(first int64, records []byte, r presence.Resolution) []presence.OnlinePoint {
	points := []presence.OnlinePoint{}
	for unit := first; len(records) >= historyRecord; unit++ {
		if int64(binary.BigEndian.Uint32(records)) == unit {
			sum := uint64(records[8])<<32 | uint64(binary.BigEndian.Uint32(records[9:]))
			points = append(points, presence.OnlinePoint{
				At:      presence.Millis(unit * r.Unit().Milliseconds()),
				Peak:    int(binary.BigEndian.Uint32(records[4:])),
				Average: float64(sum) / float64(binary.BigEndian.Uint16(records[13:])),
			})
		}
		records = records[historyRecord:]
	}
	return points
}

// runHistory runs a script of the online history. That it fails says nothing of any shard,
// so that no user's lease is touched by it.
func (s *Store) runHistory(ctx context.Context, sc *script, keys []string, args ...any) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	if err := s.verify(ctx); err != nil {
		return nil, err
	}
	args = append([]any{s.now()}, args...)
	answer, err := s.client.EvalSha(ctx, sc.sha, keys, args...).Result()
	if redis.HasErrorPrefix(err, "NOSCRIPT") {
		answer, err = s.client.Eval(ctx, sc.source, keys, args...).Result()
	}
	if err == nil {
		return answer, nil
	}
	err = classify(fmt.Errorf("%s: %w", sc.name, err))
	if unavailable, ok := errors.AsType[*presence.UnavailableError](err); ok {
		unavailable.Part = "the online history"
		s.lookForServers(ctx)
	}
	return nil, err
}
