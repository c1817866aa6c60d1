package redisstore

import (
	"context"
	"fmt"

	"rollcall/internal/presence"
)

// Presences implements presence.Store by presences.lua.
func (s *Store) Presences(ctx context.Context, userIDs []string) ([]presence.Presence, error) {
	g := s.current()
	var calls []call
	var places [][]int // by call: where its answers go
	for shard, at := range g.byShard(len(userIDs), func(i int) string { return userIDs[i] }) {
		if len(at) == 0 {
			continue
		}
		var buckets bucketSet
		args := append(s.readArgs(g, 1+2*len(at)), s.opts.Rules.AwayAfter.Milliseconds())
		for _, i := range at {
			_, bucket := g.place(userIDs[i])
			args = append(args, userIDs[i], buckets.add(bucket))
		}
		calls = append(calls, call{shard, g.keys[shard].readKeys(buckets.list), args})
		places = append(places, at)
	}
	answers, err := s.run(ctx, g, s.scripts.presences, calls)
	if err != nil {
		return nil, err
	}
	presences := make([]presence.Presence, len(userIDs))
	for c, at := range places {
		rows := newReader(answers[c])
		for _, i := range at {
			p, err := decodePresence(newReader(rows.list()), userIDs[i])
			if err != nil {
				return nil, fmt.Errorf("presences: %w", err)
			}
			presences[i] = p
		}
	}
	return presences, nil
}

func decodePresence(r *reader, userID string) (presence.Presence, error) {
	p := presence.Presence{UserID: userID, Status: presence.Offline}
	state := r.number()
	p.LastActiveAt = presence.Millis(r.number())
	since := presence.Millis(r.number())
	p.Epoch = presence.Epoch(r.number())
	device := r.text()
	if state == stateOnline || state == stateAway {
		p.Status, p.OnlineSince = presence.Online, since
	}
	if state == stateAway {
		p.Status = presence.Away
	}
	if r.err != nil {
		return p, r.err
	}
	var err error
	p.DeviceID, err = unpackDevice(device)
	return p, err
}
