package feed

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
	"unique"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

func TestASlowSubscriberLosesItsPlaceAlone(t *testing.T) {
	for name, cfg := range map[string]Config{
		"by deltas": {QueueDeltas: 4},
		"by events": {QueueEvents: 4},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newStore()
				h := startHub(t, store, cfg)
				begin := tail(t, store)
				slow, quick := open(t, h, Options{}), open(t, h, Options{})

				var got []presence.Event
				for i := range 30 {
					signIn(t, store, fmt.Sprintf("user-%d", i))
					elapse(100 * time.Millisecond)
					got = append(got, drain(t, quick).Events...)
					require.LessOrEqual(t, slow.queue.len, 4)
				}
				require.Equal(t, eventsAfter(t, store, begin), byShard(got), "others get all, in order, once")

				d := next(t, slow)
				require.True(t, d.Reset)
				require.Empty(t, d.Events)
				want := eventsAfter(t, store, d.Position)
				rest := drain(t, slow)
				require.False(t, rest.Reset)
				require.Equal(t, want, byShard(rest.Events), "from there on it is told everything again")
				require.NotEqual(t, want, eventsAfter(t, store, begin))
			})
		})
	}
}

func TestWhoIsToldTheSameSharesWhatIsMadeOfIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore()
		h := startHub(t, store, Config{})
		made := map[string]int{}
		share := func(s *Subscription, key string) string {
			d := next(t, s)
			require.Len(t, d.Events, 1)
			create := func() []byte {
				made[key]++
				return []byte(d.Events[0].Presence.UserID)
			}
			d.Share(unique.Make(key), create, func() {})
			synctest.Wait()
			shared, ok := d.Share(unique.Make(key), create, func() {})
			require.True(t, ok)
			return string(shared)
		}
		for i, o := range []Options{{}, {}, {Users: []string{"bob", "ada", "ada"}}, {Users: []string{"ada", "bob"}}, {Users: []string{"ada"}}} {
			open(t, h, o)
			for range i {
				open(t, h, o)
			}
		}
		subs := map[string][]*Subscription{}
		for s := range h.subs.all() {
			subs[s.group.key] = append(subs[s.group.key], s)
		}
		require.Len(t, subs, 3)
		for range 2 {
			clear(made)
			signIn(t, store, "ada")
			elapse(time.Second)
			for key, group := range subs {
				for _, s := range group {
					require.Equal(t, "ada", share(s, key))
				}
			}
			for key := range subs {
				require.Equal(t, 1, made[key], "%q", key)
			}
			disconnect(t, store, "ada")
			elapse(time.Second)
			for _, group := range subs {
				for _, s := range group {
					share(s, "of another answer")
				}
			}
			require.Equal(t, len(subs), made["of another answer"])
		}
	})
}

func TestANotifiedSubscriberPolls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore()
		h := startHub(t, store, Config{})
		notified := make(chan struct{}, 100)
		s := subscribe(t, h, Options{Notify: func() { notified <- struct{}{} }})
		for _, want := range []int{0, 1} { // the first delta, then one of an event
			<-notified
			d, err := s.Poll()
			require.NoError(t, err)
			require.NotNil(t, d)
			require.Len(t, d.Events, want)
			d, err = s.Poll()
			require.NoError(t, err)
			require.Nil(t, d)
			signIn(t, store, "ada")
		}
		s.Close()
		<-notified
		_, err := s.Poll()
		require.ErrorIs(t, err, ErrClosed)
	})
}

func TestALargeBatchIsSplit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore()
		h := startHub(t, store, Config{DeltaEvents: 10})
		s := open(t, h, Options{})
		begin := tail(t, store)
		var ids []string
		for i := range 25 {
			ids = append(ids, fmt.Sprintf("user-%d", i))
		}
		signIn(t, store, ids...)
		for _, size := range []int{10, 10, 5} {
			d := next(t, s)
			require.Len(t, d.Events, size)
			requireExact(t, store, begin, d)
			begin = d.Position
		}
	})
}

// requireExact checks that a delta's events are those between two positions.
func requireExact(t *testing.T, store presence.Log, from presence.Position, d *Delta) {
	t.Helper()
	told, left := byShard(d.Events), eventsAfter(t, store, d.Position)
	for shard, want := range eventsAfter(t, store, from) {
		require.Equal(t, want, append(told[shard], left[shard]...))
	}
}

func TestNarrowedSubscribers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore()
		h := startHub(t, store, Config{})
		ada := open(t, h, Options{Users: []string{"ada", "ada"}})
		both := open(t, h, Options{Users: []string{"ada", "bob"}})
		nobody := open(t, h, Options{Users: []string{}})

		signIn(t, store, "ada", "cyd")
		elapse(time.Second)
		require.Equal(t, []string{"ada"}, users(drain(t, ada).Events))
		require.Equal(t, []string{"ada"}, users(drain(t, both).Events))

		signIn(t, store, "bob")
		elapse(time.Second)
		none, err := ada.Poll()
		require.NoError(t, err)
		require.Nil(t, none, "another user's event is no delta")
		d := drain(t, both)
		require.Equal(t, []string{"bob"}, users(d.Events))
		require.Equal(t, tail(t, store), d.Position)

		disconnect(t, store, "ada")
		elapse(time.Second)
		require.Equal(t, []string{"ada"}, users(drain(t, ada).Events))
		require.Empty(t, drain(t, nobody).Events)
	})
}

func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startHub(t, newStore(), Config{})
		s := open(t, h, Options{})
		waiting := make(chan error, 1)
		go func() {
			_, err := s.Next(t.Context())
			waiting <- err
		}()
		synctest.Wait()
		s.Close()
		s.Close()
		require.ErrorIs(t, <-waiting, ErrClosed)
		require.Zero(t, h.Subscribers())
	})
}

func TestASubscriptionLeavesWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startHub(t, newStore(), Config{})
		ctx, cancel := context.WithCancel(t.Context())
		s, err := h.Subscribe(ctx, Options{})
		require.NoError(t, err)
		cancel()
		synctest.Wait()
		require.Zero(t, h.Subscribers())
		_, err = s.Next(t.Context())
		require.ErrorIs(t, err, ErrClosed)
	})
}

func TestNextEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, startHub(t, newStore(), Config{}), Options{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := s.Next(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

func TestPollAndWake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore()
		s := subscribe(t, startHub(t, store, Config{}), Options{})
		<-s.Wake()
		require.NotNil(t, drain(t, s).Position, "the first delta")
		d, err := s.Poll()
		require.NoError(t, err)
		require.Nil(t, d)

		signIn(t, store, "ada")
		<-s.Wake()
		require.Equal(t, []string{"ada"}, users(drain(t, s).Events))

		s.Close()
		<-s.Wake()
		_, err = s.Poll()
		require.ErrorIs(t, err, ErrClosed)
	})
}
