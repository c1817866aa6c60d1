package redisstore

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
	"rollcall/internal/presence/presencetest"
	"rollcall/internal/redistest"
)

// Beats that come while a batch is in flight travel together.
func TestGroupCommit(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	s := open(t, Options{URL: server.URL(), Prefix: "p", Shards: 1})
	beats := presencetest.SignIn(t, s, 500)
	require.NoError(t, server.Client().ConfigResetStat(t.Context()).Err())

	gate := &gate{came: make(chan struct{}), open: make(chan struct{})}
	s.client.AddHook(gate)
	var wg sync.WaitGroup
	results := make([][]presence.BeatResult, len(beats))
	errs := make([]error, len(beats))
	send := func(i int) { results[i], errs[i] = s.Beat(t.Context(), beats[i:i+1]) }
	wg.Go(func() { send(0) })
	<-gate.came // one batch is in flight; all others wait for it
	for i := range beats[1:] {
		wg.Go(func() { send(i + 1) })
	}
	require.Eventually(t, func() bool {
		s.current().commits[0].mu.Lock()
		defer s.current().commits[0].mu.Unlock()
		n := 0
		for _, b := range s.current().commits[0].waiting {
			n += len(b.beats)
		}
		return n == len(beats)-1
	}, patience, time.Millisecond)
	close(gate.open)
	wg.Wait()

	for i, b := range beats {
		require.NoError(t, errs[i])
		require.Equal(t, b.Epoch, results[i][0].Epoch, "everybody gets their own answer")
		require.Equal(t, presence.Refreshed, results[i][0].Outcome)
	}
	stats, err := server.Client().InfoMap(t.Context(), "commandstats").Result()
	require.NoError(t, err)
	require.Equal(t, 2, callsOf(t, stats["Commandstats"]["cmdstat_evalsha"]))
}

// A request larger than a batch is split, and answered in its order.
func TestMoreThanABatch(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Shards: 1, Buckets: 16})
	beats := presencetest.SignIn(t, s, 2*maxBatch+500)
	results, err := s.Beat(t.Context(), beats)
	require.NoError(t, err)
	require.Len(t, results, len(beats))
	for i, r := range results {
		require.Equal(t, beats[i].Epoch, r.Epoch)
	}
}

// callsOf reads "calls=12,usec=…".
func callsOf(t *testing.T, stat string) int {
	t.Helper()
	var n int
	_, err := fmt.Sscanf(stat, "calls=%d,", &n)
	require.NoError(t, err)
	return n
}

// gate holds the first command back until it is opened.
type gate struct {
	first sync.Once
	came  chan struct{}
	open  chan struct{}
}

func (g *gate) DialHook(next redis.DialHook) redis.DialHook { return next }

func (g *gate) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		g.first.Do(func() { close(g.came) })
		<-g.open
		return next(context.WithoutCancel(ctx), cmd) // the machine may be slow to open the gate
	}
}

func (g *gate) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}
