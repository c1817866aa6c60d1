package scale

import (
	"context"
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

// sample is how long after its time a call was answered.
type sample struct {
	due  time.Time
	took time.Duration
}

// startLoad makes each of the beats in turn, evenly spread, all of them once in
// a time, so many in one call.
func startLoad(t *testing.T, p *population, beats []presence.Beat, once time.Duration, each int) *load {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	l := &load{stop: stop}
	calls := len(beats) / each
	every := once / time.Duration(calls)
	l.done.Go(func() {
		tick := time.NewTicker(max(every, time.Millisecond))
		defer tick.Stop()
		began := time.Now()
		for next := 0; ctx.Err() == nil; {
			if due := began.Add(time.Duration(next) * every); time.Now().After(due) {
				from := next % calls * each
				l.done.Go(func() { l.note(due, p.refresh(t.Context(), beats[from:from+each])) })
				next++
				continue
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
	switch {
	case refused(err):
		l.refused++
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
		t.Logf("%s of %s calls were refused", thousands(l.refused), thousands(len(l.took)))
	}
}

// between is the times of the calls that were due then.
func (l *load) between(from, to time.Time) []time.Duration {
	var took []time.Duration
	for _, s := range l.took {
		if !s.due.Before(from) && s.due.Before(to) {
			took = append(took, s.took)
		}
	}
	return took
}
