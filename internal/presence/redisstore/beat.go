package redisstore

import (
	"context"
	"fmt"

	"rollcall/internal/presence"
)

// Beat implements presence.Store by the shards' group commits.
func (s *Store) Beat(ctx context.Context, beats []presence.Beat) ([]presence.BeatResult, error) {
	g := s.current()
	if len(beats) == 1 { // the common case needs no gathering
		b, from := g.commits[presence.Shard(beats[0].UserID, g.shards)].submit(beats[0])
		return b.wait(ctx, from, 1)
	}
	type part struct {
		batch *batch
		from  int
		at    []int // the parts' places in beats
	}
	var parts []part
	for shard, at := range g.byShard(len(beats), func(i int) string { return beats[i].UserID }) {
		for len(at) > 0 {
			n := min(len(at), maxBatch)
			own := make([]presence.Beat, n)
			for i, place := range at[:n] {
				own[i] = beats[place]
			}
			b, from := g.commits[shard].submit(own...)
			parts = append(parts, part{b, from, at[:n]})
			at = at[n:]
		}
	}
	results := make([]presence.BeatResult, len(beats))
	for _, p := range parts {
		own, err := p.batch.wait(ctx, p.from, len(p.at))
		if err != nil {
			return nil, err
		}
		for i, place := range p.at {
			results[place] = own[i]
		}
	}
	return results, nil
}

// beatShard runs beat.lua for beats of one shard.
func (s *Store) beatShard(ctx context.Context, g *generation, shard int, beats []presence.Beat) ([]presence.BeatResult, error) {
	var buckets bucketSet
	args := s.writeArgs(g, shard, 6*len(beats))
	for i := range beats {
		b := &beats[i]
		_, bucket := g.place(b.UserID)
		args = append(args, b.UserID, packDevice(b.DeviceID), int64(b.Epoch), b.Nonce, int(b.Kind), buckets.add(bucket))
	}
	answers, err := s.run(ctx, g, s.scripts.beat, []call{{shard, g.keys[shard].writeKeys(buckets.list), args}})
	if err != nil {
		return nil, err
	}
	numbers, err := decodeNumbers(answers[0], 1+3*len(beats))
	if err != nil {
		return nil, fmt.Errorf("beat: %w", err)
	}
	now := presence.Millis(numbers[0])
	results := make([]presence.BeatResult, len(beats))
	for i := range results {
		n := numbers[1+3*i:]
		results[i] = beatResult(n[0], n[1], n[2], now)
	}
	return results, nil
}

// beatResult reads one beat's code, epoch and lease end; see lua/beat.lua.
func beatResult(code, epoch, leaseEnd int64, now presence.Millis) presence.BeatResult {
	r := presence.BeatResult{Epoch: presence.Epoch(epoch), LeaseEnd: presence.Millis(leaseEnd), Now: now}
	switch code {
	case codeSignedIn:
		r.Outcome = presence.SignedIn
	case codeRefreshed:
		r.Outcome = presence.Refreshed
	case codeResumed:
		r.Outcome = presence.Resumed
	case codeReplacedOtherDevice:
		r.Outcome = presence.ReplacedOtherDevice
	default:
		return presence.BeatResult{Err: refusal(code), Now: now}
	}
	return r
}

func refusal(code int64) error {
	switch code {
	case codeReplaced:
		return presence.ErrSessionReplaced
	case codeEnded:
		return presence.ErrSessionEnded
	}
	return presence.ErrEpochAhead
}
