package faults

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
	"rollcall/internal/presence/presencetest"
	"rollcall/internal/redistest"
	"rollcall/internal/users"
)

func breakings() []breaking {
	return []breaking{
		{name: "a call is lost"},
		{name: "an answer is lost", runs: true},
		{name: "all is lost from a call on", off: true},
		{name: "all is lost from an answer on, and the caller turns to another node", runs: true, off: true, elsewhere: true},
	}
}

// Each operation is cut off at its first call to Redis, then at its second, and so on
// until it gets through; after each cut all is as if there had been none.
func TestOperationsAreCutOffBetweenCalls(t *testing.T) {
	t.Parallel()
	total := cuts{}
	ops := operations()
	t.Run("operation", func(t *testing.T) {
		for _, o := range ops {
			t.Run(o.name, func(t *testing.T) {
				t.Parallel()
				c := newCutter(t, o)
				want, _, _ := c.perform(0, breaking{})
				c.keys = slices.Collect(maps.Keys(c.expiries()))
				for _, how := range breakings() {
					for at := 1; ; at++ {
						got, broke, took := c.perform(at, how)
						require.Equal(t, want, got, "%s: number %d", how.name, at)
						if !broke {
							require.Greater(t, at, o.calls, "it has fewer calls than are to be cut between")
							break
						}
						total.add(got, took)
					}
				}
			})
		}
	})
	suite.table.add(row{
		"22", "Redis is cut off between two calls of an operation", fmt.Sprintf("%d operations, %d cuts", len(ops), total.n),
		total.longest, "all was as without the cut",
		account{told: total.told},
	})
}

// cuts are what has been cut so far.
type cuts struct {
	mu      sync.Mutex
	n, told int
	longest time.Duration
}

func (c *cuts) add(o outcome, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	c.longest = max(c.longest, took)
	for _, events := range o.Told {
		c.told += len(events)
	}
}

// cutter performs one operation again and again, on an empty Redis each time.
type cutter struct {
	t         *testing.T
	operation operation
	redis     *redis.Client
	addr      string
	wire      *wire
	want      *outcome // of the first time
	keys      []string // that there were after the first time
}

func newCutter(t *testing.T, o operation) *cutter {
	t.Helper()
	server := redistest.Start(t)
	return &cutter{t: t, operation: o, redis: server.Client(), addr: server.Addr, wire: startWire(t, server.Addr)}
}

// perform performs the operation while Redis is cut off at one of its calls, and tells what
// has come of it, whether it had as many calls, and how long after the cut all was as
// it is without one.
func (c *cutter) perform(at int, how breaking) (got outcome, broke bool, took time.Duration) {
	c.t.Helper()
	ctx := context.Background()
	require.NoError(c.t, c.redis.FlushAll(ctx).Err())
	clock, people := presencetest.NewClock(), &people{name: "Old"}
	steady := joinMembers(c.t, c.addr, c.operation.shards, clock, people)
	defer steady.close()
	var err error
	steady.begin, err = steady.store.Tail(ctx)
	require.NoError(c.t, err)
	c.operation.prepare(steady)
	m := joinMembers(c.t, c.wire.addr, c.operation.shards, clock, people)
	defer m.close()
	other := joinMembers(c.t, c.addr, c.operation.shards, clock, people)
	defer other.close()
	m.begin, other.begin = steady.begin, steady.begin

	c.wire.breakAt(at, how)
	answer, err := c.operation.run(ctx, m)
	broke = c.wire.mend()
	began := time.Now()
	if err != nil && how.elsewhere {
		m = other
	}
	for err != nil {
		_, unavailable := errors.AsType[*presence.UnavailableError](err)
		require.True(c.t, unavailable || errors.Is(err, users.ErrUnavailable), "%v", err)
		require.Less(c.t, time.Since(began), back)
		answer, err = c.operation.run(ctx, m)
	}
	if c.operation.after != nil {
		c.operation.after(m)
	}
	awaitQuietly(back, func() bool {
		got = look(steady)
		got.Answer = answer
		return c.want == nil || c.want.equal(got)
	})
	took = time.Since(began)
	c.requireNoOrphans()
	if c.want == nil {
		c.want = &got
	}
	return got, broke, took
}

// lockExpiry is how long the lock of a load whose end was cut off stays.
const lockExpiry = 3 * time.Second

// requireNoOrphans fails unless all keys expire by themselves, and there are none but
// those of the first time and locks.
func (c *cutter) requireNoOrphans() {
	c.t.Helper()
	const never = -1
	for key, expiry := range c.expiries() {
		require.NotEqual(c.t, time.Duration(never), expiry, key)
		if c.keys != nil && !slices.Contains(c.keys, key) {
			require.LessOrEqual(c.t, expiry, lockExpiry, "%s is not there without a cut", key)
		}
	}
}

// expiries are all keys, with how long they will be there.
func (c *cutter) expiries() map[string]time.Duration {
	c.t.Helper()
	found := map[string]time.Duration{}
	for keys := c.redis.Scan(c.t.Context(), 0, "", 1000).Iterator(); keys.Next(c.t.Context()); {
		expiry, err := c.redis.PTTL(c.t.Context(), keys.Val()).Result()
		require.NoError(c.t, err)
		if expiry != -2 { // it has gone meanwhile
			found[keys.Val()] = expiry
		}
	}
	return found
}
