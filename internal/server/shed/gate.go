// Package shed refuses requests while a node is overloaded: queries at first, heartbeats only if that is not enough.
//
// A node is overloaded when what it does has to wait: for a processor, as the Go scheduler tells, or for the store, as accepted heartbeats
// show. How many requests are under way says little: heartbeats wait for the store most of their time and cost next to nothing, and a
// page of 500 users costs as much as a hundred of them. The delay is what clients feel, it is right for every machine, and it ends by
// itself with what has caused it.
package shed

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"rollcall/internal/presence"
)

const (
	tick = 100 * time.Millisecond
	// queriesWait and allWait are the delays above which queries, and everything else, are refused in part.
	queriesWait = 75 * time.Millisecond
	allWait     = 200 * time.Millisecond
	// retryAfter is when to come back, at the soonest; the latest is twice as late, so that not everybody comes back at once.
	retryAfter = time.Second
	// heldFor is how long a request is held before it is refused, between half of it and all. A client that waits for its answer, whether
	// it waits afterwards as it is told or not, sends nothing more meanwhile, which is what makes the load less; and whoever is held costs
	// no processor, nor more memory than their idle connection.
	heldFor = time.Second
	// mostHeld is how many are held at a time: HTTP/2 has many requests on a connection.
	mostHeld = 50_000
	// fewest is how many waits it takes to say anything; an overloaded node has thousands of them in a tick.
	fewest = 20
	// slowest is the share of waits, of a processor, that is shorter than the one that counts.
	slowest = 0.9
)

// Gate admits requests.
type Gate struct {
	log          *slog.Logger
	queries, all valve
	overloaded   bool
	held         atomic.Int64

	// Of the beats that the store has answered since the last tick:
	beats, took atomic.Int64 // how many, and nanoseconds
}

// New is a gate, which is open until it is run.
func New(log *slog.Logger) *Gate {
	return &Gate{log: log, queries: valve{target: queriesWait}, all: valve{target: allWait}}
}

// Run watches how long things wait, until ctx ends.
func (g *Gate) Run(ctx context.Context) {
	ticks := time.NewTicker(tick)
	defer ticks.Stop()
	var w waits
	w.slow() // from here on
	for {
		select {
		case <-ticks.C:
			g.set(ctx, max(w.slow(), g.beatsTook()))
		case <-ctx.Done():
			return
		}
	}
}

func (g *Gate) set(ctx context.Context, delay time.Duration) {
	g.queries.set(delay)
	g.all.set(delay)
	shedding := g.queries.closed.Load() > 0
	if shedding && !g.overloaded {
		g.log.WarnContext(ctx, "overloaded; requests are refused, queries before heartbeats", "delay", delay)
	}
	if !shedding && g.overloaded {
		g.log.InfoContext(ctx, "no longer overloaded")
	}
	g.overloaded = shedding
}

// Admit admits a request of whatever kind, or refuses it by a [*presence.RateLimitedError], after a while or when ctx ends.
func (g *Gate) Admit(ctx context.Context) error {
	if g == nil || g.all.admits() {
		return nil
	}
	g.hold(ctx)
	return verdict(false)
}

func (g *Gate) hold(ctx context.Context) {
	defer g.held.Add(-1)
	if g.held.Add(1) > mostHeld {
		return
	}
	over := time.NewTimer(heldFor/2 + rand.N(heldFor/2))
	defer over.Stop()
	select {
	case <-over.C:
	case <-ctx.Done():
	}
}

// AdmitOnSocket is [Gate.Admit] for a message of a socket, which is refused at once: others wait behind it.
func (g *Gate) AdmitOnSocket() error { return verdict(g == nil || g.all.admits()) }

// AdmitQuery admits what is no heartbeat, or refuses it at once.
func (g *Gate) AdmitQuery() error { return verdict(g == nil || g.queries.admits()) }

func verdict(admitted bool) error {
	if admitted {
		return nil
	}
	return &presence.RateLimitedError{
		Message: "the server is overloaded", RetryAfter: retryAfter + rand.N(retryAfter),
	}
}

// BeatTook tells how long the store has taken to accept a heartbeat.
func (g *Gate) BeatTook(d time.Duration) {
	if g != nil {
		g.beats.Add(1)
		g.took.Add(int64(d))
	}
}

// beatsTook is the mean of those since the last call.
func (g *Gate) beatsTook() time.Duration {
	n, took := g.beats.Swap(0), g.took.Swap(0)
	if n == 0 {
		return 0
	}
	return time.Duration(took / n)
}

// waits are how long goroutines that could run have waited for a processor.
type waits struct {
	sample         [1]metrics.Sample
	before, counts []uint64 // by the histogram's buckets: at the last call, and since then
}

// slow is what a tenth of them have waited longer than, since the last call.
func (w *waits) slow() time.Duration {
	w.sample[0].Name = "/sched/latencies:seconds"
	metrics.Read(w.sample[:])
	if w.sample[0].Value.Kind() != metrics.KindFloat64Histogram {
		return 0 // a runtime that does not tell
	}
	h := w.sample[0].Value.Float64Histogram()
	if w.before == nil {
		w.before, w.counts = make([]uint64, len(h.Counts)), make([]uint64, len(h.Counts))
	}
	all := uint64(0)
	for i, n := range h.Counts {
		w.counts[i], w.before[i] = n-w.before[i], n
		all += w.counts[i]
	}
	if all < fewest {
		return 0
	}
	left := all - uint64(slowest*float64(all))
	for i := len(w.counts) - 1; i > 0; i-- {
		if n := w.counts[i]; n < left {
			left -= n
			continue
		}
		return time.Duration(h.Buckets[i] * float64(time.Second))
	}
	return 0
}
