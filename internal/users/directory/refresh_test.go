package directory_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/redistest"
	"rollcall/internal/users/directory"
)

func TestRefreshShowsTheNewRowOnEveryNode(t *testing.T) {
	t.Parallel()
	source := newFakeSource("a", "b")
	tier := sharedTier(t)
	one := newNode(t, source, patient(directory.Options{Tier: tier}))
	two := newNode(t, source, patient(directory.Options{Tier: tier}))
	run(t, two)
	require.Equal(t, "old a", nameOf(t, one, "a"))
	// two may drop all once, when it has subscribed.
	require.Equal(t, "old a", nameOf(t, two, "a"))

	source.rename("a", "new")
	require.Equal(t, "old a", nameOf(t, one, "a"))
	eventually(t, func() bool {
		require.NoError(t, one.Refresh(t.Context(), []string{"a"}))
		require.Equal(t, "new", nameOf(t, one, "a"), "at once where it was asked for")
		return nameOf(t, two, "a") == "new"
	})
}

func TestRefreshBeatsALoadInFlight(t *testing.T) {
	t.Parallel()
	for _, withTier := range []bool{false, true} {
		t.Run(fmt.Sprintf("tier=%t", withTier), func(t *testing.T) {
			t.Parallel()
			source := newFakeSource("a")
			opt := patient(directory.Options{})
			if withTier {
				opt.Tier = sharedTier(t)
			}
			d := newNode(t, source, opt)

			reached, letGo := source.hold()
			got := startLoad(t, d, "a")
			<-reached // it has read the old row
			source.rename("a", "new")
			require.NoError(t, d.Refresh(t.Context(), []string{"a"}))
			letGo()

			require.Equal(t, "new", <-got, "even the load itself is repeated")
			require.Equal(t, "new", nameOf(t, d, "a"))
			if withTier {
				require.Equal(t, "new", nameOf(t, newNode(t, source, opt), "a"), "nor is the old row in the tier")
			}
		})
	}
}

func TestRefreshBeatsALoadInFlightOnAnotherNode(t *testing.T) {
	t.Parallel()
	source := newFakeSource("a")
	opt := patient(directory.Options{Tier: sharedTier(t)})
	one, two := newNode(t, source, opt), newNode(t, source, opt)
	run(t, two)

	reached, letGo := source.hold()
	got := startLoad(t, two, "a")
	<-reached
	source.rename("a", "new")
	require.NoError(t, one.Refresh(t.Context(), []string{"a"}))
	letGo()
	<-got // may be either: it began before
	eventually(t, func() bool { return nameOf(t, two, "a") == "new" })
	require.Equal(t, "new", nameOf(t, newNode(t, source, opt), "a"), "the late load left nothing in the tier")
}

func TestAfterRefreshNoReaderSeesTheOldRow(t *testing.T) {
	t.Parallel()
	source := newFakeSource("a", "b", "c")
	opt := patient(directory.Options{Tier: sharedTier(t)})
	d := newNode(t, source, opt)
	ids := []string{"a", "b", "c"}
	refreshed := map[string]*atomic.Int64{}
	for _, id := range ids {
		source.rename(id, "0")
		refreshed[id] = &atomic.Int64{}
	}

	deadline := time.Now().Add(500 * time.Millisecond)
	var wg sync.WaitGroup
	for _, id := range ids {
		wg.Go(func() {
			for version := int64(1); time.Now().Before(deadline); version++ {
				source.rename(id, strconv.FormatInt(version, 10))
				if err := d.Refresh(t.Context(), []string{id}); err != nil {
					t.Error(err)
				}
				refreshed[id].Store(version)
			}
		})
	}
	for range 8 {
		wg.Go(func() {
			for time.Now().Before(deadline) {
				id := ids[rand.IntN(len(ids))]
				least := refreshed[id].Load()
				found, err := d.Load(t.Context(), ids)
				if err != nil {
					t.Error(err)
					return
				}
				if got, _ := strconv.ParseInt(*found[id].Name, 10, 64); got < least {
					t.Errorf("%s: version %d after a refresh at %d", id, got, least)
				}
			}
		})
	}
	wg.Wait()
	for _, id := range ids {
		require.Positive(t, refreshed[id].Load())
	}
}

// Case 35 (docs/cases.md).
func TestRefreshEndsNoSuchUser(t *testing.T) {
	t.Parallel()
	source := newFakeSource()
	opt := patient(directory.Options{Tier: sharedTier(t)})
	d := newNode(t, source, opt)
	require.Empty(t, nameOf(t, d, "late"))
	source.rename("late", "Late")
	require.Empty(t, nameOf(t, d, "late"))
	require.NoError(t, d.Refresh(t.Context(), []string{"late"}))
	require.Equal(t, "Late", nameOf(t, d, "late"))
}

// fakeTime is a clock that only moves when told to.
type fakeTime struct{ nanos atomic.Int64 }

func (f *fakeTime) now() time.Time          { return time.Unix(0, f.nanos.Load()) }
func (f *fakeTime) advance(d time.Duration) { f.nanos.Add(int64(d)) }

func TestTimesToLive(t *testing.T) {
	t.Parallel()
	source := newFakeSource("a")
	clock := &fakeTime{}
	d := newNode(t, source, directory.Options{Now: clock.now})
	require.Equal(t, "old a", nameOf(t, d, "a"))
	require.Empty(t, nameOf(t, d, "late"))
	source.rename("a", "new a")
	source.rename("late", "Late")

	clock.advance(30*time.Second - 1)
	require.Equal(t, "old a", nameOf(t, d, "a"))
	clock.advance(1)
	require.Equal(t, "new a", nameOf(t, d, "a"), "at 30 s")

	clock.advance(30*time.Second - 1)
	require.Empty(t, nameOf(t, d, "late"))
	clock.advance(1)
	require.Equal(t, "Late", nameOf(t, d, "late"), "at 60 s")
}

func TestNoSuchUserEndsOverAllTiers(t *testing.T) {
	t.Parallel()
	source := newFakeSource()
	opt := patient(directory.Options{Tier: sharedTier(t), NegativeTTL: 400 * time.Millisecond})
	one, two := newNode(t, source, opt), newNode(t, source, opt)
	require.Empty(t, nameOf(t, one, "late"))
	created := time.Now()
	source.rename("late", "Late")
	// two keeps looking: each look may find the tier's entry, but never keep it
	// longer than the tier does.
	eventually(t, func() bool { return nameOf(t, two, "late") == "Late" })
	require.GreaterOrEqual(t, source.count(), 2)
	require.Less(t, time.Since(created), 10*time.Second)
	eventually(t, func() bool { return nameOf(t, one, "late") == "Late" })
}

func TestReconnectDropsWhatMayHaveChanged(t *testing.T) {
	t.Parallel()
	source := newFakeSource("a")
	server := redistest.Start(t)
	d := newNode(t, source, patient(directory.Options{Tier: newTier(t, server.Client(), "p")}))
	run(t, d)
	require.Equal(t, "old a", nameOf(t, d, "a"))
	source.rename("a", "new") // and nobody says so
	server.Restart()
	eventually(t, func() bool { return nameOf(t, d, "a") == "new" })
}

// hurried is a tier on which something happens just before each mark.
type hurried struct {
	directory.Tier
	beforeMark func()
}

func (h hurried) MarkStale(ctx context.Context, ids []string, keep time.Duration) error {
	h.beforeMark()
	return h.Tier.MarkStale(ctx, ids, keep)
}

func TestRefreshDropsLastWhatWasReadBeforeTheMark(t *testing.T) {
	t.Parallel()
	source := newFakeSource("a")
	var d *directory.Directory
	d = newNode(t, source, patient(directory.Options{Tier: hurried{
		Tier:       sharedTier(t),
		beforeMark: func() { require.NotEmpty(t, nameOf(t, d, "a")) }, // from the tier: still old
	}}))
	require.Equal(t, "old a", nameOf(t, d, "a"))
	source.rename("a", "new")
	require.NoError(t, d.Refresh(t.Context(), []string{"a"}))
	require.Equal(t, "new", nameOf(t, d, "a"))
}
