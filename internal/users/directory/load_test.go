package directory_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"rollcall/internal/users"
	"rollcall/internal/users/directory"
	"rollcall/internal/users/sqlsource"
)

func TestPageOfFiveHundredIsOneLoad(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db *sqlsource.Source) {
		_, err := db.Seed(t.Context(), 600, nil)
		require.NoError(t, err)
		source := &counted{Source: db}
		tier := sharedTier(t)
		d := newNode(t, source, patient(directory.Options{Tier: tier}))

		for range 2 {
			found, err := d.Load(t.Context(), numbered("user-", 500))
			require.NoError(t, err)
			require.Len(t, found, 500)
			require.Equal(t, "user-7", found["user-7"].ID)
			require.NotEmpty(t, *found["user-7"].Name)
			require.NotZero(t, *found["user-7"].Level)
		}
		require.Equal(t, 1, source.count(), "the second page comes from memory")

		other := newNode(t, source, patient(directory.Options{Tier: tier}))
		found, err := other.Load(t.Context(), numbered("user-", 500))
		require.NoError(t, err)
		require.Len(t, found, 500)
		require.NotEmpty(t, *found["user-7"].Name)
		require.Equal(t, 1, source.count(), "another node finds it in the tier")
	})
}

func TestThousandFirstReadsAreOneLoad(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db *sqlsource.Source) {
		_, err := db.Seed(t.Context(), 10, nil)
		require.NoError(t, err)
		for name, nodes := range map[string]func(source users.Source) []*directory.Directory{
			"one node": func(source users.Source) []*directory.Directory {
				return []*directory.Directory{newNode(t, source, directory.Options{})}
			},
			"two nodes": func(source users.Source) []*directory.Directory {
				opt := patient(directory.Options{Tier: sharedTier(t)})
				return []*directory.Directory{newNode(t, source, opt), newNode(t, source, opt)}
			},
		} {
			t.Run(name, func(t *testing.T) {
				source := &counted{Source: db}
				group := nodes(source)
				start := make(chan struct{})
				var wg sync.WaitGroup
				for i := range 1000 {
					wg.Go(func() {
						<-start
						found, err := group[i%len(group)].Load(t.Context(), []string{"alice"})
						if err != nil || found["alice"].ID != "alice" {
							t.Errorf("got %v, %v", found, err)
						}
					})
				}
				close(start)
				wg.Wait()
				require.Equal(t, 1, source.count())
			})
		}
	})
}

func TestUnknownIDsDoNotReachTheSourceTwice(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db *sqlsource.Source) {
		source := &counted{Source: db}
		tier := sharedTier(t)
		d := newNode(t, source, patient(directory.Options{Tier: tier}))
		ids := numbered("nobody-", 10_000)
		for range 2 {
			found, err := d.Load(t.Context(), ids)
			require.NoError(t, err)
			require.Empty(t, found)
		}
		require.Equal(t, len(ids)/users.MaxBatch, source.count())

		other := newNode(t, source, patient(directory.Options{Tier: tier}))
		_, err := other.Load(t.Context(), ids)
		require.NoError(t, err)
		require.Equal(t, len(ids)/users.MaxBatch, source.count(), "nor by way of another node")
	})
}

func TestLoadOfMixedAndRepeatedIDs(t *testing.T) {
	t.Parallel()
	source := newFakeSource("a", "b")
	d := newNode(t, source, directory.Options{})
	require.Equal(t, "old a", nameOf(t, d, "a"))

	found, err := d.Load(t.Context(), []string{"b", "a", "x", "b", "x", "a"})
	require.NoError(t, err)
	require.Len(t, found, 2)
	require.Equal(t, 3, source.asked, "a once, then b and x")

	found, err = d.Load(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, found)
}

func TestCallerWhoGivesUpFailsNobodyElse(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		source := newFakeSource("a")
		reached, letGo := source.hold()
		d := newNode(t, source, directory.Options{})

		ctx, giveUp := context.WithCancel(t.Context())
		first := make(chan error, 1)
		go func() {
			_, err := d.Load(ctx, []string{"a"})
			first <- err
		}()
		<-reached
		joined := make(chan error, 1)
		go func() {
			found, err := d.Load(t.Context(), []string{"a"})
			if err == nil && len(found) != 1 {
				t.Error("not found")
			}
			joined <- err
		}()
		synctest.Wait() // it has joined
		require.Equal(t, 1, source.count())

		giveUp()
		err := <-first
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, users.ErrUnavailable)
		<-reached // the other one loads for itself
		letGo()
		require.NoError(t, <-joined)
	})
}
