package rate

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLimitsAreReadAndWritten(t *testing.T) {
	for text, want := range map[string]Limit{"0": {}, "300/5m": {300, 5 * time.Minute}, "1/1ms": {1, time.Millisecond}} {
		var l Limit
		require.NoError(t, l.UnmarshalText([]byte(text)))
		require.Equal(t, want, l)
		var again Limit
		require.NoError(t, again.UnmarshalText([]byte(l.String())))
		require.Equal(t, l, again)
	}
	for _, text := range []string{"", "300", "-1/5m", "0/5m", "1/0s", "1/25h", "1/x", "x/1s", "1.5/1s", "99999999999/1s", "300/5m/1"} {
		require.Error(t, new(Limit).UnmarshalText([]byte(text)), text)
	}
}

// clock is a time that tests move.
type clock struct{ atomic.Int64 }

func (c *clock) now() time.Time { return time.Unix(1000, c.Load()) }

func (c *clock) pass(d time.Duration) { c.Add(int64(d)) }

func TestBucketsEmptyAndFill(t *testing.T) {
	var c clock
	b := NewBuckets(Limit{10, 10 * time.Second}, c.now)
	for range 10 {
		require.Zero(t, b.Take("ann", 1))
	}
	require.Equal(t, time.Second, b.Take("ann", 1))
	require.Equal(t, 3*time.Second, b.Take("ann", 3), "what is refused takes nothing")
	require.Zero(t, b.Take("bob", 10), "each key has its own")
	c.pass(999 * time.Millisecond)
	require.Equal(t, time.Millisecond, b.Take("ann", 1))
	c.pass(time.Millisecond)
	require.Zero(t, b.Take("ann", 1))
	require.Equal(t, time.Second, b.Take("ann", 1))
	c.pass(time.Hour)
	require.Zero(t, b.Take("ann", 10))
	require.NotZero(t, b.Take("ann", 1), "it does not overflow")
	c.pass(time.Hour)
	require.Zero(t, b.Take("ann", 1000), "what is more than a bucket holds, a full one gives")
	require.Equal(t, 10*time.Second, b.Take("ann", 1000))
}

func TestNoLimitGivesAll(t *testing.T) {
	b := NewBuckets(Limit{}, time.Now)
	require.Zero(t, b.Take("ann", 1<<40))
}

// Whatever generations begin and end meanwhile, no more is given than the limit says.
func TestNoMoreIsGivenThanTheLimit(t *testing.T) {
	var c clock
	limit := Limit{100, 10 * time.Second}
	b := NewBuckets(limit, c.now)
	given := 0
	const step, steps = 37 * time.Millisecond, 5000
	for range steps {
		for b.Take("ann", 3) == 0 {
			given += 3
		}
		c.pass(step)
	}
	most := limit.Count + int(float64(limit.Count)*steps*step.Seconds()/limit.Per.Seconds())
	require.LessOrEqual(t, given, most)
	require.Greater(t, given, most-10)
}

func TestMemoryIsBounded(t *testing.T) {
	var c clock
	b := NewBuckets(Limit{1, time.Minute}, c.now)
	for i := range 4 * mostKeys {
		b.Take(fmt.Sprint(i), 1)
	}
	kept := 0
	for i := range b.parts {
		kept += len(b.parts[i].fullAt) + len(b.parts[i].before)
	}
	require.LessOrEqual(t, kept, 2*mostKeys)
	c.pass(time.Minute)
	for range 2 { // generations
		for i := range 100 * parts {
			b.Take(fmt.Sprint("later", i), 1)
		}
		c.pass(time.Minute)
	}
	kept = 0
	for i := range b.parts {
		kept += len(b.parts[i].fullAt) + len(b.parts[i].before)
	}
	require.LessOrEqual(t, kept, 200*parts, "buckets that are full again are forgotten")
}

func TestBucketsAreSafeForMany(t *testing.T) {
	var c clock
	b := NewBuckets(Limit{1000, time.Minute}, c.now)
	var given atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 1000 {
				if b.Take("ann", 1) == 0 {
					given.Add(1)
				}
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 1000, given.Load())
}

func BenchmarkTake(b *testing.B) {
	buckets := NewBuckets(Limit{1000, 10 * time.Second}, time.Now)
	b.ReportAllocs()
	for b.Loop() {
		buckets.Take("user-12345", 1)
	}
}
