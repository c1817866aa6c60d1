package redisstore

import (
	"context"
	"fmt"
	"sync"
	"time"

	"rollcall/internal/presence"
)

// What one call to Sweep does at most, so that a storm of expirations holds up
// nobody's heartbeat for more than a few milliseconds.
const (
	sweepBuckets = 64  // buckets looked at
	sweepUsers   = 200 // users expired, and users settled in one script
)

// sweepHold is how long a node keeps the sweeping of a shard: if it dies,
// another goes on after that.
const sweepHold = 2 * presence.SweepEvery

// forgetCycle is the time in which all buckets are searched for users to forget.
const forgetCycle = time.Hour

// sweep is what a node remembers of one shard, so that it need not look at all
// of it each time.
type sweep struct {
	mu sync.Mutex
	// due is when to look at each bucket: at the earliest lease end seen in it,
	// and at least once a TTL, before which no newer lease can end. 0: at once.
	due []presence.Millis

	from    int             // the bucket to begin with
	now     presence.Millis // the server's at the last call
	nowSeen time.Time       // and this node's then

	forgetNext int // the bucket to search next
	forgetAt   presence.Millis
}

func newSweep(buckets int) *sweep {
	return &sweep{due: make([]presence.Millis, buckets)}
}

// Sweep implements presence.Store by sweep.lua, settle.lua and forget.lua.
func (s *Store) Sweep(ctx context.Context, shard int) (presence.SweepReport, error) {
	g := s.current()
	if shard >= g.shards {
		return presence.SweepReport{}, nil
	}
	w := g.sweeps[shard]
	w.mu.Lock()
	defer w.mu.Unlock()

	buckets := w.dueBuckets(s.guessNow(w))
	args := append(s.writeArgs(g, shard, 3), s.node, sweepHold.Milliseconds(), sweepUsers)
	answers, err := s.run(ctx, g, s.scripts.sweep, []call{{shard, g.keys[shard].writeKeys(buckets), args}})
	if err != nil {
		return presence.SweepReport{}, err
	}
	g.outages[shard].Store(false)
	r := newReader(answers[0])
	report := presence.SweepReport{Elsewhere: r.number() == 1, Now: presence.Millis(r.number()), Beats: r.number()}
	report.Expired = int(r.number())
	mark, candidates := r.number(), r.list()
	if report.Now < w.now { // the clock was set back, or another server has taken over
		clear(w.due)
	}
	w.now, w.nowSeen = report.Now, time.Now()
	if report.Elsewhere {
		return report, r.err // what is due stays so: no lease begun since ends before
	}
	w.from = (w.from + len(buckets)) % len(w.due)
	for _, b := range buckets {
		w.due[b] = presence.Millis(r.number())
	}
	if r.err != nil {
		return report, fmt.Errorf("sweep: %w", r.err)
	}
	if err := s.settle(ctx, g, shard, candidates, mark, &report); err != nil {
		return report, err
	}
	if err := s.forget(ctx, g, shard, w, &report); err != nil {
		return report, err
	}
	report.More = report.More || len(w.dueBuckets(w.now)) > 0 || len(candidates) >= sweepUsers
	return report, nil
}

// guessNow is the server's time as far as this node can tell. It decides only
// which buckets to look at.
func (s *Store) guessNow(w *sweep) presence.Millis {
	if s.opts.Now != nil {
		return s.opts.Now()
	}
	return w.now.Add(time.Since(w.nowSeen))
}

func (w *sweep) dueBuckets(now presence.Millis) []int {
	var due []int
	for i := range w.due {
		b := (w.from + i) % len(w.due) // in turn, so that none starves
		if w.due[b] <= now {
			if due = append(due, b); len(due) == sweepBuckets {
				break
			}
		}
	}
	return due
}

// settle settles the candidates for AWAY, and with the last of them sets the mark behind
// which the next sweep searches.
func (s *Store) settle(
	ctx context.Context, g *generation, shard int, candidates []any, mark int64, report *presence.SweepReport,
) error {
	for len(candidates) > 0 {
		n := min(len(candidates), sweepUsers)
		args := append(s.writeArgs(g, shard, 1+2*n), "")
		if n == len(candidates) {
			args[len(args)-1] = mark
		}
		var buckets bucketSet
		for _, c := range candidates[:n] {
			user, _ := c.(string)
			_, bucket := g.place(user)
			args = append(args, user, buckets.add(bucket))
		}
		answers, err := s.run(ctx, g, s.scripts.settle, []call{{shard, g.keys[shard].writeKeys(buckets.list), args}})
		if err != nil {
			return err
		}
		counts, err := decodeNumbers(answers[0], 2)
		if err != nil {
			return fmt.Errorf("settle: %w", err)
		}
		report.Expired += int(counts[0])
		report.Away += int(counts[1])
		candidates = candidates[n:]
	}
	return nil
}

// forget searches one bucket, if its turn has come.
func (s *Store) forget(ctx context.Context, g *generation, shard int, w *sweep, report *presence.SweepReport) error {
	every := presence.Millis(forgetCycle.Milliseconds() / int64(len(w.due)))
	if w.forgetAt == 0 {
		w.forgetAt = report.Now
	}
	// After a pause each bucket is searched once, not once for each turn missed.
	w.forgetAt = max(w.forgetAt, report.Now-presence.Millis(len(w.due))*every)
	if report.Now < w.forgetAt {
		return nil
	}
	answers, err := s.run(ctx, g, s.scripts.forget, []call{{shard, g.keys[shard].writeKeys([]int{w.forgetNext}), s.writeArgs(g, shard, 0)}})
	if err != nil {
		return err
	}
	n, ok := answers[0].(int64)
	if !ok {
		return fmt.Errorf("forget: %w", errReply("a count", answers[0]))
	}
	report.Forgotten = int(n)
	w.forgetNext = (w.forgetNext + 1) % len(w.due)
	w.forgetAt += every
	report.More = report.More || report.Now >= w.forgetAt
	return nil
}
