package redisstore

import (
	"context"
	"encoding/binary"
	"fmt"

	"rollcall/internal/presence"
)

// Beat implements presence.Store by the shards' group commits.
func (s *Store) Beat(ctx context.Context, beats []presence.Beat) ([]presence.BeatResult, error) {
	g := s.current()
	if len(beats) == 1 { // the common case needs no gathering
		shard := presence.Shard(beats[0].UserID, g.shards)
		b, from := g.commits[shard].submit(shard, beats[0])
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
			b, from := g.commits[shard].submit(shard, own...)
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

// commit runs beat.lua for each batch, all in one round trip, and leaves them their results.
func (s *Store) commit(ctx context.Context, g *generation, flight []*batch) {
	calls := make([]call, len(flight))
	for i, b := range flight {
		calls[i] = s.beatCall(g, b)
	}
	for i, r := range s.runEach(ctx, g, s.scripts.beat, calls) {
		b := flight[i]
		if b.err = r.err; b.err == nil {
			b.results, b.err = beatResults(r.answer, len(b.beats))
		}
	}
}

func (s *Store) beatCall(g *generation, b *batch) call {
	var buckets bucketSet
	args := s.writeArgs(g, b.shard, 2*len(b.beats))
	for i := range b.beats {
		beat := &b.beats[i]
		_, bucket := g.place(beat.UserID)
		args = append(args, beat.UserID, packBeat(buckets.add(bucket), beat))
	}
	return call{b.shard, g.keys[b.shard].writeKeys(buckets.list), args}
}

// packBeat is what lua/beat.lua is told of a beat besides its user, as its BEAT says: the bucket's number in 2
// bytes, the kind in 1, the epoch in 7 and the nonce in 3, and behind them the device.
func packBeat(bucket int, beat *presence.Beat) []byte {
	device := packDevice(beat.DeviceID)
	b := make([]byte, 0, 13+len(device))
	b = binary.BigEndian.AppendUint16(b, uint16(bucket)) // #nosec G115 -- below maxBatch
	b = append(b, byte(beat.Kind))
	b = append(b, binary.BigEndian.AppendUint64(nil, uint64(beat.Epoch))[1:]...)
	b = append(b, binary.BigEndian.AppendUint32(nil, beat.Nonce)[1:]...)
	return append(b, device...)
}

func beatResults(answer any, n int) ([]presence.BeatResult, error) {
	numbers, err := decodeNumbers(answer, 1+3*n)
	if err != nil {
		return nil, fmt.Errorf("beat: %w", err)
	}
	now := presence.Millis(numbers[0])
	results := make([]presence.BeatResult, n)
	for i := range results {
		one := numbers[1+3*i:]
		results[i] = beatResult(one[0], one[1], one[2], now)
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
