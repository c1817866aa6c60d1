package feed

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// Case 24 (docs/cases.md).
func TestResumeTellsWhatHappenedSince(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore()
		h := startHub(t, store, Config{})
		signIn(t, store, "ada", "bob")
		since := tail(t, store)
		for _, u := range []string{"cyd", "dan", "eve", "fay"} {
			signIn(t, store, u)
			elapse(time.Millisecond)
		}
		elapse(time.Second)

		all := subscribe(t, h, Options{Since: since})
		d := next(t, all)
		require.Equal(t, []string{"cyd", "dan", "eve", "fay"}, users(d.Events), "across shards by time")
		require.Equal(t, tail(t, store), d.Position)
		require.False(t, d.Reset)

		eve := subscribe(t, h, Options{Since: since, Users: []string{"eve", "ada"}})
		require.Equal(t, []string{"eve"}, users(next(t, eve).Events))

		disconnect(t, store, "eve")
		elapse(time.Second)
		require.Equal(t, []string{"eve"}, users(drain(t, all).Events))
		require.Equal(t, []string{"eve"}, users(drain(t, eve).Events))
		require.Zero(t, h.held.Load())
	})
}

func TestResumeWithNothingMissedReadsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &faulty{Store: newStore()}
		h := startHub(t, src, Config{})
		signIn(t, src, "ada")
		elapse(time.Second)
		since := tail(t, src)
		d := next(t, subscribe(t, h, Options{Since: since}))
		require.Empty(t, d.Events)
		require.Equal(t, since, d.Position)
		require.Zero(t, src.ranges)
	})
}

func TestALongResumeComesInSeveralDeltas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore()
		h := startHub(t, store, Config{DeltaEvents: 10})
		since := tail(t, store)
		for i := range 25 {
			signIn(t, store, fmt.Sprintf("user-%d", i))
			elapse(time.Millisecond)
		}
		elapse(time.Second)
		s := subscribe(t, h, Options{Since: since})
		require.EqualValues(t, 25, h.held.Load())
		for _, size := range []int{10, 10, 5} {
			d := next(t, s)
			require.Len(t, d.Events, size)
			requireExact(t, store, since, d)
			since = d.Position
		}
		require.Zero(t, h.held.Load())
	})
}

func TestResumesBeyondTheBoundAreResets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore()
		h := startHub(t, store, Config{ResumeEvents: 2})
		since := tail(t, store)
		signIn(t, store, "ada", "bob")
		elapse(time.Second)
		a, b := subscribe(t, h, Options{Since: since}), subscribe(t, h, Options{Since: since})
		require.True(t, next(t, b).Reset)
		require.Len(t, next(t, a).Events, 2)
		require.Len(t, next(t, subscribe(t, h, Options{Since: since})).Events, 2, "they make room again")
	})
}

func TestResumeAheadOfTheHub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &faulty{Store: newStore()}
		h := startHub(t, src, Config{})
		s0 := open(t, h, Options{})
		release := src.hold()
		for i := range 20 {
			signIn(t, src, fmt.Sprintf("early-%d", i))
		}
		since := tail(t, src) // another node has told this already
		s := open(t, h, Options{Since: since})
		for i := range 20 {
			signIn(t, src, fmt.Sprintf("late-%d", i))
		}
		release()
		elapse(5 * time.Second)

		require.Len(t, drain(t, s0).Events, 40)
		d := drain(t, s)
		require.Equal(t, eventsAfter(t, src, since), byShard(d.Events), "nothing twice, nothing missing")
		require.Equal(t, tail(t, src), d.Position)
		require.Nil(t, s.floor)
	})
}

func TestAPositionTheLogDoesNotHoldIsAReset(t *testing.T) {
	for name, spoil := range map[string]func(presence.Position){
		"trimmed": func(p presence.Position) { p[1] = presence.EventID{Ms: 1} },
		"ahead":   func(p presence.Position) { p[1].Ms += 60_000 },
		"between": func(p presence.Position) { p[1].Seq += 7 },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newStore()
				h := startHub(t, store, Config{})
				signIn(t, store, "ada", "bob", "cyd")
				elapse(time.Second)
				since := tail(t, store)
				spoil(since)
				s := subscribe(t, h, Options{Since: since})
				d := next(t, s)
				require.True(t, d.Reset)
				require.Empty(t, d.Events)
				require.Equal(t, tail(t, store), d.Position)

				signIn(t, store, "dan")
				require.Equal(t, []string{"dan"}, users(next(t, s).Events), "live from there")
			})
		})
	}
}

func TestResumeWhileTheHubHasNotSeenALossYet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &faulty{Store: newStore()}
		h := startHub(t, src, Config{})
		signIn(t, src, "ada")
		elapse(time.Second)
		since := tail(t, src)
		release := src.hold()
		src.Lose()
		signIn(t, src, "bob")
		fresh := tail(t, src)

		old := subscribe(t, h, Options{Since: since}) // the hub's own place: it can't know yet
		ahead := open(t, h, Options{Since: fresh})
		release()
		elapse(5 * time.Second)
		require.True(t, drain(t, old).Reset)
		require.True(t, drain(t, ahead).Reset)
		signIn(t, src, "cyd")
		require.Equal(t, []string{"cyd"}, users(next(t, old).Events))
		require.Equal(t, []string{"cyd"}, users(next(t, ahead).Events))
	})
}

func TestResumeFailsWithTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &faulty{Store: newStore()}
		h := startHub(t, src, Config{})
		since := tail(t, src)
		signIn(t, src, "ada")
		elapse(time.Second)
		src.fail(errDown)
		_, err := h.Subscribe(t.Context(), Options{Since: since})
		require.ErrorIs(t, err, errDown)
		require.Zero(t, h.Subscribers())
	})
}

// The store was resharded since.
func TestAPositionOfAnotherNumberOfShardsIsAReset(t *testing.T) {
	src := newStore()
	h := startHub(t, src, Config{})
	for _, shards := range []int{1, testShards * 2} {
		d := next(t, subscribe(t, h, Options{Since: make(presence.Position, shards)}))
		require.Equal(t, &Delta{Reset: true, Position: tail(t, src)}, d)
	}
}

// Subscribers that drop and resume at random, on either of two nodes, during a
// churn of about a thousand transitions a second.
func TestResumeUnderChurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const clients, drops = 10, 30
		store := newStore()
		// Its answers take a while, in which the hubs go on.
		slow := &faulty{Store: store, meanwhile: func(call int) { time.Sleep(time.Duration(call%40) * time.Millisecond) }}
		hubs := []*Hub{startHub(t, slow, Config{}), startHub(t, slow, Config{DeltaEvents: 8})}
		begin := tail(t, store)

		type record struct {
			since  presence.Position
			events []presence.Event
		}
		records := make([]record, clients)
		done := make(chan int, clients)
		for c := range clients {
			go func() {
				r, rnd := &records[c], rand.New(rand.NewPCG(uint64(c), 1))
				r.since = begin
				for range drops {
					s, err := hubs[rnd.IntN(2)].Subscribe(t.Context(), Options{Since: r.since})
					if err != nil {
						break
					}
					for range rnd.IntN(20) {
						d, err := s.Next(t.Context())
						if err != nil || d.Reset {
							break
						}
						r.events, r.since = append(r.events, d.Events...), d.Position
					}
					s.Close()
					time.Sleep(time.Duration(rnd.IntN(200)) * time.Millisecond)
				}
				done <- c
			}()
		}
		online := make(map[string]bool)
		for running := clients; running > 0; {
			u := fmt.Sprintf("user-%d", rand.IntN(50))
			if online[u] {
				disconnect(t, store, u)
			} else {
				signIn(t, store, u)
			}
			online[u] = !online[u]
			time.Sleep(time.Millisecond)
			select {
			case <-done:
				running--
			default:
			}
		}
		for _, r := range records {
			s := subscribe(t, hubs[0], Options{Since: r.since})
			elapse(time.Second)
			rest := drain(t, s)
			require.False(t, rest.Reset)
			all := append(r.events, rest.Events...)
			require.Equal(t, eventsAfter(t, store, begin), byShard(all), "no gap, no repetition")
			requireAgreement(t, store, all)
		}
	})
}

// requireAgreement checks that the events add up to what the store says.
func requireAgreement(t *testing.T, store presence.Store, events []presence.Event) {
	t.Helper()
	last := make(map[string]presence.Presence)
	for _, e := range events {
		last[e.Presence.UserID] = e.Presence
	}
	for u, p := range last {
		now, err := store.Presences(t.Context(), []string{u})
		require.NoError(t, err)
		require.Equal(t, now[0].Status, p.Status)
	}
}
