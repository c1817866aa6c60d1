package directory_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/logtest"
	"rollcall/internal/redistest"
	"rollcall/internal/users"
	"rollcall/internal/users/directory"
)

func TestFailingSourceCostsOnlyWhatIsNotCached(t *testing.T) {
	t.Parallel()
	source := newFakeSource("a", "b", "c")
	opt := patient(directory.Options{Tier: sharedTier(t)})
	d := newNode(t, source, opt)
	require.Equal(t, "old a", nameOf(t, d, "a"))
	require.Equal(t, "old b", nameOf(t, newNode(t, source, opt), "b")) // in the tier only

	broken := errors.New("disk full")
	source.fail(broken)
	found, err := d.Load(t.Context(), []string{"a", "b", "c"})
	require.ErrorIs(t, err, users.ErrUnavailable)
	require.ErrorIs(t, err, broken)
	require.Len(t, found, 2)

	source.fail(nil)
	require.Equal(t, "old c", nameOf(t, d, "c"), "a failure is not remembered as unknown")
}

func TestFailureIsAskedForOnce(t *testing.T) {
	t.Parallel()
	source := newFakeSource()
	source.fail(fmt.Errorf("%w: refused", users.ErrUnavailable))
	d := newNode(t, source, directory.Options{})
	_, err := d.Load(t.Context(), numbered("u", 10_000))
	require.ErrorIs(t, err, users.ErrUnavailable)
	require.Equal(t, 1, source.count(), "not once for each batch")
}

func TestLoadsThatJoinAFailingOneFailToo(t *testing.T) {
	t.Parallel()
	source := newFakeSource("a")
	source.fail(errors.New("disk full"))
	d := newNode(t, source, directory.Options{})
	reached, letGo := source.hold()
	errs := make([]error, 50)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { _, errs[i] = d.Load(t.Context(), []string{"a"}) })
	}
	<-reached
	letGo()
	wg.Wait()
	for _, err := range errs {
		require.ErrorIs(t, err, users.ErrUnavailable)
	}
}

// hanging is a source that answers only when its own timeout is over.
type hanging struct{ fakeSource }

func (h *hanging) Load(ctx context.Context, ids []string) (map[string]users.Details, error) {
	_, _, _, _ = h.read(ids)
	ctx, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	<-ctx.Done()
	return nil, fmt.Errorf("%w: %w", users.ErrUnavailable, ctx.Err())
}

func TestHangingSourceIsLeftAloneForAMoment(t *testing.T) {
	t.Parallel()
	source := &hanging{}
	clock := &fakeTime{}
	clock.advance(time.Hour)
	d := newNode(t, source, directory.Options{Now: clock.now})
	for range 10 {
		_, err := d.Load(t.Context(), []string{"a"})
		require.ErrorIs(t, err, users.ErrUnavailable)
	}
	require.Equal(t, 1, source.count())
	clock.advance(time.Second)
	_, err := d.Load(t.Context(), []string{"a"})
	require.ErrorIs(t, err, users.ErrUnavailable)
	require.Equal(t, 2, source.count())

	clock.advance(time.Second)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err = d.Load(ctx, []string{"a"})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = d.Load(t.Context(), []string{"a"})
	require.ErrorIs(t, err, users.ErrUnavailable)
	require.Equal(t, 4, source.count(), "a hasty caller's timeout says nothing of the source")
}

// deaf is a source that never answers, whatever its callers' patience.
type deaf struct{ fakeSource }

func (d *deaf) Load(ctx context.Context, ids []string) (map[string]users.Details, error) {
	_, _, _, _ = d.read(ids)
	<-ctx.Done()
	return nil, ctx.Err()
}

// A sign-in has less patience than the source has time, and must not wait in vain each time.
func TestSourceThatHadAFairTimeIsLeftAloneWhoeverGaveUp(t *testing.T) {
	t.Parallel()
	for name, patience := range map[string]func(context.Context) (context.Context, context.CancelFunc){
		"out of patience": func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 400*time.Millisecond)
		},
		"gone": func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(400*time.Millisecond, cancel)
			return ctx, cancel
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				source := &deaf{}
				d := newNode(t, source, directory.Options{})
				for range 10 {
					ctx, cancel := patience(t.Context())
					_, err := d.Load(ctx, []string{"a"})
					require.ErrorIs(t, err, users.ErrUnavailable)
					cancel()
				}
				require.Equal(t, 1, source.count())

				time.Sleep(time.Second)
				for range 2 {
					ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
					_, err := d.Load(ctx, []string{"a"})
					require.ErrorIs(t, err, users.ErrUnavailable)
					cancel()
				}
				require.Equal(t, 3, source.count(), "who had no fair time says nothing of the source")
			})
		})
	}
}

// An outage is a line where it begins and one where it ends, however many calls fail.
func TestOutageIsLoggedOnce(t *testing.T) {
	t.Parallel()
	log, logged := logtest.New(slog.LevelDebug)
	clock := &fakeTime{}
	source := newFakeSource("a")
	d := newNode(t, source, directory.Options{Now: clock.now, Logger: log, LocalTTL: time.Millisecond})
	load := func(fails error) {
		source.fail(fails)
		clock.advance(time.Second)
		_, err := d.Load(t.Context(), []string{"a"})
		require.Equal(t, fails == nil, err == nil)
	}
	load(nil)
	for range 2 {
		for range 50 {
			load(errors.New("disk full"))
			load(nil) // an answer now and then does not end it
		}
		for range 10 {
			load(nil)
		}
	}
	require.Equal(t, 2, logged.Count(slog.LevelWarn), logged)
	require.Equal(t, 2, logged.Count(slog.LevelInfo), logged)
	require.Contains(t, logged.String(), "disk full")
}

func TestWithoutRedisTheSourceAnswers(t *testing.T) {
	t.Parallel()
	for name, breakIt := range map[string]func(s *redistest.Server){
		"refused": (*redistest.Server).Stop,
		"hanging": (*redistest.Server).Pause,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := newFakeSource(numbered("u", 20)...)
			server := redistest.Start(t)
			log, logged := logtest.New(slog.LevelInfo)
			d := newNode(t, source, directory.Options{Tier: newTier(t, server.Client(), "p"), Logger: log})
			run(t, d)
			require.Equal(t, "old u1", nameOf(t, d, "u1"))

			breakIt(server)
			start := time.Now()
			for _, id := range numbered("u", 20) {
				require.Equal(t, "old "+id, nameOf(t, d, id))
			}
			// One budget, not one for each; the rest is a busy machine.
			require.Less(t, time.Since(start), 1500*time.Millisecond)

			start = time.Now()
			err := d.Refresh(t.Context(), []string{"u1"})
			require.ErrorIs(t, err, users.ErrUnavailable, "other nodes may not know")
			require.Less(t, time.Since(start), 1500*time.Millisecond)
			require.Equal(t, 1, logged.Count(slog.LevelWarn), logged)
			source.rename("u1", "new")

			if name == "hanging" {
				server.Resume()
			} else {
				server.Restart()
			}
			eventually(t, func() bool { return d.Refresh(t.Context(), []string{"u1"}) == nil })
			require.Equal(t, "new", nameOf(t, d, "u1"))
		})
	}
}

func TestDeadLockHolderCostsTheLockWait(t *testing.T) {
	t.Parallel()
	source := newFakeSource("a")
	tier := sharedTier(t)
	_, ok, err := tier.TryLock(t.Context(), []string{"a"}) // and dies
	require.NoError(t, err)
	require.True(t, ok)

	d := newNode(t, source, directory.Options{Tier: tier, TierBudget: 20 * time.Second})
	start := time.Now()
	require.Equal(t, "old a", nameOf(t, d, "a"))
	require.GreaterOrEqual(t, time.Since(start), 300*time.Millisecond)
	require.Less(t, time.Since(start), 2*time.Second)
}

// script is a stream of changes that a test writes.
type script struct{ changes chan []string }

func (s script) Watch(ctx context.Context, changed func(ids []string), _ func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case ids := <-s.changes:
			changed(ids)
		}
	}
}

func TestChangeDuringAnOutageIsMadeUpFor(t *testing.T) {
	t.Parallel()
	source := newFakeSource("a")
	// Its data outlives a crash, so the old entry is still there afterwards.
	server := redistest.Start(t, "--appendonly", "yes", "--appendfsync", "always")
	changes := script{make(chan []string)}
	d := newNode(t, source, directory.Options{
		Tier: newTier(t, server.Client(), "p"), Changes: changes, StaleFor: time.Minute,
	})
	run(t, d)
	client := server.Client()
	// The first load may find the machine too busy for the tier.
	eventually(t, func() bool {
		_, _ = d.Load(t.Context(), []string{"a"})
		if client.Exists(t.Context(), "p:user:a").Val() == 1 {
			return true
		}
		require.NoError(t, d.Refresh(t.Context(), []string{"b"}))
		return false
	})

	server.Stop()
	source.rename("a", "new")
	changes.changes <- []string{"a"}
	changes.changes <- nil // the first is handled now
	require.Equal(t, "new", nameOf(t, d, "a"))
	server.Restart()
	eventually(t, func() bool { return client.Get(t.Context(), "p:user:a").Val() == "!" })
	eventually(t, func() bool { return nameOf(t, d, "a") == "new" })
}
