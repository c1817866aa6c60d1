package redisstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"rollcall/internal/presence"
	"rollcall/internal/redisconn"
)

// logChunk is how many entries of an event log are read at once.
const logChunk = 1000

// Tail implements presence.Log by tail.lua, which begins a log that isn't there.
func (s *Store) Tail(ctx context.Context) (presence.Position, error) {
	g := s.current()
	calls := make([]call, g.shards)
	for shard := range calls {
		calls[shard] = call{shard, g.keys[shard].writeKeys(nil), s.writeArgs(g, shard, 0)}
	}
	answers, err := s.run(ctx, g, s.scripts.tail, calls)
	if err != nil {
		return nil, err
	}
	position := make(presence.Position, len(calls))
	for shard, answer := range answers {
		text, _ := answer.(string)
		if position[shard], err = parseEventID(text); err != nil {
			return nil, fmt.Errorf("tail: %w", err)
		}
	}
	return position, nil
}

// Range implements presence.Log. It reads from the entry `after` itself, whose
// absence is what tells that the log was trimmed or lost.
func (s *Store) Range(ctx context.Context, shard int, after presence.EventID) ([]presence.Event, presence.EventID, error) {
	g := s.current()
	if shard >= g.shards {
		return nil, after, presence.ErrTrimmed
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var events []presence.Event
	for {
		entries, err := s.client.XRangeN(ctx, g.keys[shard].events, formatEventID(after), "+", logChunk).Result()
		if err != nil && len(events) > 0 {
			return events, after, nil // what has been read in time; the rest is read next
		}
		if err != nil {
			return nil, after, classify(fmt.Errorf("event log of shard %d: %w", shard, err))
		}
		if len(entries) == 0 || entries[0].ID != formatEventID(after) {
			return nil, after, presence.ErrTrimmed
		}
		for _, entry := range entries[1:] {
			e, err := decodeEvent(entry, shard)
			switch {
			case err != nil:
				return nil, after, err
			case e.Type == moved && len(events) == 0:
				return nil, after, presence.ErrTrimmed
			case e.Type == moved:
				return events, after, nil
			case e.Type != genesis:
				events = append(events, e)
			}
			after = e.ID
		}
		if len(entries) < logChunk {
			return events, after, nil
		}
	}
}

// Follow implements presence.Log. The blocking read only wakes it: it would
// not notice that the log was lost and begun anew.
func (s *Store) Follow(ctx context.Context, shard int, after presence.EventID, wait time.Duration) ([]presence.Event, presence.EventID, error) {
	g := s.current()
	if shard >= g.shards {
		return nil, after, presence.ErrTrimmed
	}
	for end := time.Now().Add(wait); ; {
		left := time.Until(end)
		block := max(min(left, maxBlock), time.Millisecond)
		news, err := s.awaitNews(ctx, g.keys[shard].events, after, block)
		if err != nil {
			return nil, after, classify(fmt.Errorf("event log of shard %d: %w", shard, err))
		}
		if news || left <= block || ctx.Err() != nil {
			break
		}
	}
	return s.Range(ctx, shard, after)
}

// maxBlock bounds one read that waits.
const maxBlock = 2 * time.Second

// awaitNews waits for an entry after one of a log, and tells whether there is any. The client can't
// break a read off, so a caller who is told to stop leaves it behind, and Close ends it.
func (s *Store) awaitNews(ctx context.Context, events string, after presence.EventID, block time.Duration) (bool, error) {
	read := make(chan error, 1)
	s.flights.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), block+redisconn.IOTimeout)
		defer cancel()
		read <- s.blocked.XRead(ctx, &redis.XReadArgs{
			Streams: []string{events, formatEventID(after)}, Count: 1, Block: block,
		}).Err()
	})
	select {
	case err := <-read:
		if errors.Is(err, redis.Nil) {
			return false, nil
		}
		return err == nil, err
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// The entries that are no events: a log's first (lua/state.lua), and the last of one
// whose users were moved to other shards (lua/move.lua).
const (
	genesis presence.EventType = "GENESIS"
	moved   presence.EventType = "MOVED"
)

// decodeEvent reads an entry as event in lua/state.lua writes it.
func decodeEvent(entry redis.XMessage, shard int) (presence.Event, error) {
	id, err := parseEventID(entry.ID)
	if err != nil {
		return presence.Event{}, err
	}
	text := func(field string) string {
		v, _ := entry.Values[field].(string)
		return v
	}
	e := presence.Event{ID: id, Shard: shard, Type: presence.EventType(text("type"))}
	if e.Type == genesis || e.Type == moved {
		return e, nil
	}
	number := func(field string) int64 {
		n, bad := strconv.ParseInt(text(field), 10, 64)
		err = errors.Join(err, bad)
		return n
	}
	e.Reason, e.At = presence.Reason(text("reason")), presence.Millis(number("at"))
	e.Presence = presence.Presence{
		UserID: text("user"), Status: presence.Status(text("status")),
		LastActiveAt: presence.Millis(number("active")), OnlineSince: presence.Millis(number("since")),
		Epoch: presence.Epoch(number("epoch")),
	}
	device, bad := unpackDevice(text("device"))
	e.Presence.DeviceID = device
	if err = errors.Join(err, bad); err != nil {
		return e, fmt.Errorf("event %s of shard %d: %w", entry.ID, shard, err)
	}
	return e, nil
}

func formatEventID(id presence.EventID) string {
	return strconv.FormatUint(id.Ms, 10) + "-" + strconv.FormatUint(id.Seq, 10)
}

func parseEventID(text string) (presence.EventID, error) {
	ms, seq, _ := strings.Cut(text, "-")
	var id presence.EventID
	var err, bad error
	id.Ms, err = strconv.ParseUint(ms, 10, 64)
	id.Seq, bad = strconv.ParseUint(seq, 10, 64)
	if err = errors.Join(err, bad); err != nil {
		return id, fmt.Errorf("event id %q: %w", text, err)
	}
	return id, nil
}
