package redisstore

import (
	"context"
	"fmt"
	"slices"
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
	results, errs := together(t, s, beats)
	for i, b := range beats {
		require.NoError(t, errs[i])
		require.Equal(t, b.Epoch, results[i].Epoch, "everybody gets their own answer")
		require.Equal(t, presence.Refreshed, results[i].Outcome)
	}
	require.Equal(t, 2, scriptCalls(t, server))
}

// Those of many shards travel in one flight, a script call for each shard; that one of these fails is its own affair.
func TestGroupCommitOfShards(t *testing.T) {
	t.Parallel()
	const shards, broken = 16, 3
	server := redistest.Start(t)
	s := open(t, Options{URL: server.URL(), Prefix: "p", Shards: shards})
	beats := presencetest.SignIn(t, s, 500)
	beats = slices.DeleteFunc(beats, func(b presence.Beat) bool {
		return presence.Shard(b.UserID, shards)%lanes != broken%lanes // the others would not wait
	})
	// The first one flies alone.
	first := slices.IndexFunc(beats, func(b presence.Beat) bool { return presence.Shard(b.UserID, shards) != broken })
	beats[0], beats[first] = beats[first], beats[0]
	require.NoError(t, server.Client().HSet(t.Context(), s.current().keys[broken].meta, "layout", "another").Err())
	require.NoError(t, server.Client().ConfigResetStat(t.Context()).Err())
	trips := &tripCounter{}
	s.client.AddHook(onSend(trips.add))

	results, errs := together(t, s, beats)
	for i, b := range beats {
		if presence.Shard(b.UserID, shards) == broken {
			var unavailable *presence.UnavailableError
			require.ErrorAs(t, errs[i], &unavailable)
			require.Equal(t, "shard 3", unavailable.Part)
			continue
		}
		require.NoError(t, errs[i])
		require.Equal(t, b.Epoch, results[i].Epoch)
	}
	taken := trips.taken()
	require.Len(t, taken, 2)
	require.Len(t, taken[1], shards/lanes)
	require.Equal(t, 1+shards/lanes, scriptCalls(t, server))
}

// Those who wait while Redis is found gone don't wait for that once more, and no shard of theirs is swept as if they
// could have beaten.
func TestGroupCommitWithoutRedis(t *testing.T) {
	t.Parallel()
	const shards = 4
	server := redistest.Start(t)
	s := open(t, Options{URL: server.URL(), Prefix: "p", Shards: shards})
	beats := presencetest.SignIn(t, s, 100)
	beats = slices.DeleteFunc(beats, func(b presence.Beat) bool { return presence.Shard(b.UserID, shards)%lanes != 0 })
	server.Stop()
	trips := &tripCounter{}
	s.client.AddHook(onSend(trips.add))
	_, errs := together(t, s, beats)
	for _, err := range errs {
		var unavailable *presence.UnavailableError
		require.ErrorAs(t, err, &unavailable)
	}
	require.Len(t, trips.taken(), 1)
	for shard := range shards {
		require.Equal(t, shard%lanes == 0, s.current().outages[shard].Load())
	}
}

// A request of many users is one script call for each shard.
func TestManyBeatsAreOneCallAShard(t *testing.T) {
	t.Parallel()
	const shards = 16
	server := redistest.Start(t)
	s := open(t, Options{URL: server.URL(), Prefix: "p", Shards: shards})
	beats := presencetest.SignIn(t, s, presence.MaxBeats)
	require.NoError(t, server.Client().ConfigResetStat(t.Context()).Err())
	service := presence.NewService(s, s.opts.Rules, nil, s.log)
	heartbeats := make([]presence.Heartbeat, len(beats))
	for i, b := range beats {
		token := presence.SessionToken(b.UserID, b.DeviceID, b.Epoch)
		heartbeats[i] = presence.Heartbeat{UserID: b.UserID, DeviceID: b.DeviceID, Session: &token}
	}
	results, err := service.Heartbeats(t.Context(), heartbeats)
	require.NoError(t, err)
	for i, r := range results {
		require.NoError(t, r.Err)
		require.Equal(t, *heartbeats[i].Session, r.Lease.Session)
	}
	require.Equal(t, shards, scriptCalls(t, server))
}

// together sends the first beat, and while that is in flight all others, each by itself.
func together(t *testing.T, s *Store, beats []presence.Beat) (results []presence.BeatResult, errs []error) {
	t.Helper()
	gate := &gate{came: make(chan struct{}), open: make(chan struct{})}
	s.client.AddHook(gate)
	var wg sync.WaitGroup
	results, errs = make([]presence.BeatResult, len(beats)), make([]error, len(beats))
	send := func(i int) {
		answers, err := s.Beat(t.Context(), beats[i:i+1])
		if errs[i] = err; err == nil {
			results[i] = answers[0]
		}
	}
	wg.Go(func() { send(0) })
	<-gate.came // one batch is in flight; all others wait for it
	for i := range beats[1:] {
		wg.Go(func() { send(i + 1) })
	}
	committer := s.current().commits[presence.Shard(beats[0].UserID, s.Shards())]
	require.Eventually(t, func() bool {
		committer.mu.Lock()
		defer committer.mu.Unlock()
		n := 0
		for _, b := range committer.waiting {
			n += len(b.beats)
		}
		return n == len(beats)-1
	}, patience, time.Millisecond)
	close(gate.open)
	wg.Wait()
	return results, errs
}

// scriptCalls is how many scripts a server has run.
func scriptCalls(t *testing.T, server *redistest.Server) int {
	t.Helper()
	stats, err := server.Client().InfoMap(t.Context(), "commandstats").Result()
	require.NoError(t, err)
	return callsOf(t, stats["Commandstats"]["cmdstat_evalsha"])
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
