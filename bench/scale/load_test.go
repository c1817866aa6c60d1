package scale

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// load is heartbeats at a steady rate, which go out at their times whether the
// ones before are answered or not: a store that is slow can't slow its callers down.
type load struct {
	stop context.CancelFunc
	done sync.WaitGroup

	mu      sync.Mutex
	took    []sample
	refused int
	wrong   error
}

// sample is how long after its time a heartbeat was answered.
type sample struct {
	due  time.Time
	took time.Duration
}

// startLoad makes each of the beats in turn, evenly spread, all of them once in
// a time.
func startLoad(t *testing.T, p *population, beats []presence.Beat, once time.Duration) *load {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	l := &load{stop: stop}
	every := once / time.Duration(len(beats))
	l.done.Go(func() {
		tick := time.NewTicker(max(every, time.Millisecond))
		defer tick.Stop()
		began := time.Now()
		for next := 0; ctx.Err() == nil; {
			for ; time.Since(began) >= time.Duration(next)*every; next++ {
				due, beat := began.Add(time.Duration(next)*every), beats[next%len(beats)]
				l.done.Go(func() { l.note(due, p.refresh(t.Context(), []presence.Beat{beat})) })
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
		}
	})
	return l
}

func (l *load) note(due time.Time, err error) {
	took := time.Since(due)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.took = append(l.took, sample{due, took})
	var overloaded *presence.UnavailableError
	switch {
	case errors.As(err, &overloaded):
		l.refused++ // which is slow, not wrong
	case err != nil:
		l.wrong = err
	}
}

// end stops the load and waits for the answers under way, all of which must be right.
func (l *load) end(t *testing.T) {
	t.Helper()
	l.stop()
	l.done.Wait()
	require.NoError(t, l.wrong)
	if l.refused > 0 {
		t.Logf("%s of %s heartbeats were refused", thousands(l.refused), thousands(len(l.took)))
	}
}

// between is the times of the heartbeats that were due then.
func (l *load) between(from, to time.Time) []time.Duration {
	var took []time.Duration
	for _, s := range l.took {
		if !s.due.Before(from) && s.due.Before(to) {
			took = append(took, s.took)
		}
	}
	return took
}
