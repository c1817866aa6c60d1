package redisstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
	"rollcall/internal/presence/presencetest"
	"rollcall/internal/redistest"
)

func untold(int, int) {}

// populate has users in all states: online, away, signed out, disconnected, expired.
func populate(t *testing.T, s *Store, clock *presencetest.Clock) (ids []string) {
	t.Helper()
	ctx := t.Context()
	for i := range 400 {
		ids = append(ids, fmt.Sprintf("user-%d", i))
	}
	beat := func(ids []string, kind presence.BeatKind) []presence.BeatResult {
		var beats []presence.Beat
		for _, id := range ids {
			beats = append(beats, presence.Beat{UserID: id, DeviceID: "phone", Kind: kind})
		}
		results, err := s.Beat(ctx, beats)
		require.NoError(t, err)
		return results
	}
	beat(ids[:50], presence.Active) // they expire
	elapse(t, s, clock, s.opts.Rules.TTL)
	results := beat(ids[50:350], presence.Active) // 350 and up are unknown
	for i, id := range ids[50:100] {
		_, err := s.End(ctx, id, results[i].Epoch, presence.SignedOut)
		require.NoError(t, err)
	}
	_, err := s.End(ctx, ids[100], 0, presence.Disconnected)
	require.NoError(t, err)
	levels := make(map[string]int)
	for i, id := range ids[:300] {
		levels[id] = i % 7
	}
	require.NoError(t, s.SetLevels(ctx, levels))
	return ids
}

// elapse lets d go by, with sweeps that are frequent enough to be no outage.
func elapse(t *testing.T, s *Store, clock *presencetest.Clock, d time.Duration) {
	t.Helper()
	for d > 0 {
		step := min(d, s.opts.Rules.Gap()/2)
		clock.Advance(step)
		d -= step
		sweepAll(t, s)
	}
}

func sweepAll(t *testing.T, s *Store) {
	t.Helper()
	for shard := range s.Shards() {
		for more := true; more; {
			report, err := s.Sweep(t.Context(), shard)
			require.NoError(t, err)
			more = report.More
		}
	}
}

// view is all that can be read of a store.
type view struct {
	presences []presence.Presence
	pages     map[string][]presence.Row
	totals    map[string]int
}

func viewOf(t *testing.T, s *Store, ids []string) view {
	t.Helper()
	v := view{pages: map[string][]presence.Row{}, totals: map[string]int{}}
	var err error
	v.presences, err = s.Presences(t.Context(), ids)
	require.NoError(t, err)
	three := 3
	for _, filter := range []presence.Filter{{}, presence.NewFilter("", &three, nil)} {
		for _, order := range []presence.Order{presence.LastActiveDesc, presence.LastActiveAsc, presence.LevelDesc, presence.LevelAsc} {
			name := fmt.Sprint(order, filter.Levels != nil)
			page, err := s.Page(t.Context(), presence.PageRequest{Order: order, Filter: filter, First: 500})
			require.NoError(t, err)
			v.pages[name], v.totals[name] = page.Rows, page.Total
		}
	}
	return v
}

func TestReshard(t *testing.T) {
	t.Parallel()
	cluster := redistest.StartCluster(t, 3, 0)
	for _, c := range []struct {
		from, to int
		url      string
	}{
		{4, 8, redistest.Shared(t).URL()},
		{1, 16, redistest.Shared(t).URL()},
		{8, 1, redistest.Shared(t).URL()},
		{2, 16, cluster.URL()},
		{16, 4, cluster.URL()},
	} {
		t.Run(fmt.Sprintf("%d to %d", c.from, c.to), func(t *testing.T) {
			t.Parallel()
			clock := presencetest.NewClock()
			opts := Options{
				URL: c.url, Prefix: redistest.Prefix(t), Shards: c.from, Buckets: 256, LevelIndex: true, Now: clock.Now,
			}
			s := open(t, opts)
			ids := populate(t, s, clock)
			before := viewOf(t, s, ids)
			since, err := s.Tail(t.Context())
			require.NoError(t, err)

			opts.Rules = presence.DefaultRules()
			opts.Shards = c.to
			done, err := Reshard(t.Context(), opts, untold)
			require.NoError(t, err)
			require.Equal(t, Resharded{From: c.from, To: c.to, Users: 350, Refusing: done.Refusing}, done)

			// A node that knew nothing of it notices at its first call, and follows.
			_, err = s.Presences(t.Context(), ids)
			var unavailable *presence.UnavailableError
			require.ErrorAs(t, err, &unavailable)
			require.Equal(t, c.to, s.Shards())
			require.NoError(t, s.Check(t.Context()))
			require.Equal(t, before, viewOf(t, s, ids))
			_, _, err = s.Follow(t.Context(), 0, since[0], time.Second)
			require.ErrorIs(t, err, presence.ErrTrimmed)

			// Sessions go on, and what was ended stays so.
			for i, id := range ids[:350] {
				results, err := s.Beat(t.Context(), []presence.Beat{{UserID: id, DeviceID: "phone", Epoch: before.presences[i].Epoch}})
				require.NoError(t, err)
				switch {
				case i < 50:
					require.Equal(t, presence.Resumed, results[0].Outcome, id)
				case i <= 100:
					require.ErrorIs(t, results[0].Err, presence.ErrSessionEnded, id)
				default:
					require.Equal(t, presence.Refreshed, results[0].Outcome, id)
				}
			}
			// Nobody is expired before a TTL is over.
			elapse(t, s, clock, s.opts.Rules.TTL-time.Millisecond)
			total, err := s.Page(t.Context(), presence.PageRequest{Order: presence.LastActiveDesc})
			require.NoError(t, err)
			require.Equal(t, 299, total.Total)

			requireNoKeysOf(t, s, c.from)
			opts.Shards = c.from
			opts.Now = nil
			require.ErrorContains(t, open(t, opts).Check(t.Context()), fmt.Sprintf("ROLLCALL_SHARDS=%d", c.to))
			opts.Shards = c.to
			require.NoError(t, open(t, opts).Check(t.Context()))

			// And back: the layout that was left is taken up again.
			opts.Shards, opts.Now = c.from, clock.Now
			done, err = Reshard(t.Context(), opts, untold)
			require.NoError(t, err)
			require.Equal(t, 350, done.Users)
			_, err = s.Tail(t.Context())
			require.ErrorAs(t, err, &unavailable)
			require.Equal(t, c.from, s.Shards())
			total, err = s.Page(t.Context(), presence.PageRequest{Order: presence.LastActiveDesc})
			require.NoError(t, err)
			require.Equal(t, 299, total.Total)
		})
	}
}

// requireNoKeysOf: of a layout that was left nothing stays but where its users went.
func requireNoKeysOf(t *testing.T, s *Store, shards int) {
	t.Helper()
	g := s.newGeneration(newLayout(shards, s.opts.Buckets, true))
	for _, k := range g.keys {
		keys := k.writeKeys(g.allBuckets())
		n, err := s.client.Exists(t.Context(), keys[1:]...).Result()
		require.NoError(t, err)
		require.Zero(t, n)
		layout, err := s.client.HGet(t.Context(), k.meta, "layout").Result()
		require.NoError(t, err)
		require.Equal(t, s.current().String(), layout)
		ttl, err := s.client.TTL(t.Context(), k.meta).Result()
		require.NoError(t, err)
		require.Positive(t, ttl)
	}
}

// Users come, go and beat all the while on two nodes, one of which begins with the new layout.
func TestReshardUnderLoad(t *testing.T) {
	t.Parallel()
	opts := Options{URL: redistest.Start(t).URL(), Prefix: "p", Shards: 4, LevelIndex: true}
	nodes := []*Store{open(t, opts), open(t, opts)}
	_, err := nodes[0].Tail(t.Context())
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	var users sync.WaitGroup
	type session struct {
		epoch  presence.Epoch
		online bool
		active presence.Millis
	}
	sessions := make([]session, 40)
	for i := range sessions {
		users.Go(func() {
			id := fmt.Sprintf("user-%d", i)
			state := &sessions[i]
			for n := 0; ctx.Err() == nil; n++ {
				node := nodes[n%2]
				var err error
				if n%5 == 4 && i%2 == 0 {
					if _, err = node.End(context.WithoutCancel(ctx), id, state.epoch, presence.SignedOut); err == nil {
						*state = session{}
					}
				} else {
					var results []presence.BeatResult
					results, err = node.Beat(context.WithoutCancel(ctx), []presence.Beat{{UserID: id, DeviceID: "phone", Epoch: state.epoch}})
					if err == nil {
						want := presence.Refreshed
						if !state.online {
							want = presence.SignedIn
						}
						require.NoError(t, results[0].Err)
						require.Equal(t, want, results[0].Outcome, id)
						*state = session{epoch: results[0].Epoch, online: true, active: results[0].Now}
					}
				}
				if err != nil {
					var unavailable *presence.UnavailableError
					require.ErrorAs(t, err, &unavailable)
				}
			}
		})
	}
	for _, shards := range []int{16, 2, 32, 4} {
		to := opts
		to.Shards, to.Rules = shards, presence.DefaultRules()
		done, err := Reshard(t.Context(), to, untold)
		require.NoError(t, err)
		require.Equal(t, shards, done.To)
		page, err := nodes[0].Page(t.Context(), presence.PageRequest{Order: presence.LastActiveDesc, First: 100})
		for errors.As(err, new(*presence.UnavailableError)) {
			page, err = nodes[0].Page(t.Context(), presence.PageRequest{Order: presence.LastActiveDesc, First: 100})
		}
		require.NoError(t, err)
		require.GreaterOrEqual(t, page.Total, len(sessions)/2)
	}
	stop()
	users.Wait()
	for i, state := range sessions {
		presences, err := nodes[0].Presences(t.Context(), []string{fmt.Sprintf("user-%d", i)})
		require.NoError(t, err)
		require.Equal(t, state.online, presences[0].Status == presence.Online, i)
		if state.online {
			require.Equal(t, state.epoch, presences[0].Epoch)
			require.Equal(t, state.active, presences[0].LastActiveAt)
		}
	}
}

func TestReshardIsOneAtATime(t *testing.T) {
	t.Parallel()
	clock := presencetest.NewClock()
	opts := Options{URL: redistest.Shared(t).URL(), Prefix: redistest.Prefix(t), Shards: 4, Now: clock.Now, Rules: presence.DefaultRules()}
	to := opts
	to.Shards = 8
	_, err := Reshard(t.Context(), to, untold)
	require.ErrorContains(t, err, "nothing is stored")

	s := open(t, opts)
	_, err = s.Tail(t.Context())
	require.NoError(t, err)
	done, err := Reshard(t.Context(), opts, untold)
	require.NoError(t, err)
	require.Equal(t, Resharded{From: 4, To: 4}, done)

	// Another one has frozen the shards, and dies.
	other := &resharding{store: s, id: "other", from: s.current(), to: s.newGeneration(newLayout(2, DefaultBuckets, false)), frozen: true}
	require.NoError(t, other.hold(t.Context(), holdFor, true))
	_, err = Reshard(t.Context(), to, untold)
	require.ErrorIs(t, err, ErrHeld)
	_, err = s.Beat(t.Context(), []presence.Beat{{UserID: "ann", DeviceID: "phone"}})
	require.ErrorContains(t, err, "RESHARDING")
	require.NoError(t, s.Check(t.Context()))
	_, err = s.Presences(t.Context(), []string{"ann"})
	require.NoError(t, err, "reads go on")

	clock.Advance(holdFor)
	require.ErrorIs(t, other.hold(t.Context(), holdFor, false), ErrHeld, "it was away for too long")
	require.ErrorIs(t, other.move(t.Context()), ErrHeld)
	_, err = s.Beat(t.Context(), []presence.Beat{{UserID: "ann", DeviceID: "phone"}})
	require.NoError(t, err)
	done, err = Reshard(t.Context(), to, untold)
	require.NoError(t, err)
	require.Equal(t, 1, done.Users)
}

func TestLayoutText(t *testing.T) {
	for _, l := range []layout{{1, 16384, true}, {256, 64, false}} {
		parsed, ok := parseLayout(l.String())
		require.True(t, ok)
		require.Equal(t, l, parsed)
	}
	for _, text := range []string{
		"", "v0: 4 shards of 16 buckets with a level index", "v1: 3 shards of 16 buckets with a level index",
		"v1: 4 shards of 0 buckets with a level index", "v1: 4 shards of 16 buckets with a level index, and more",
	} {
		_, ok := parseLayout(text)
		require.False(t, ok, text)
	}
}

func TestDestinationOfMoves(t *testing.T) {
	of := func(shards int) layout { return layout{shards: shards, buckets: 1} }
	require.Empty(t, destination(nil))
	require.Equal(t, of(32).String(), destination(map[int]layout{4: of(16), 16: of(2), 2: of(32)}))
	require.NotEmpty(t, destination(map[int]layout{4: of(16), 16: of(4)}), "it ends")
}

// What is given up half way leaves everything as it was.
func TestReshardGivenUp(t *testing.T) {
	t.Parallel()
	opts := Options{URL: redistest.Shared(t).URL(), Prefix: redistest.Prefix(t), Shards: 4, LevelIndex: true, Rules: presence.DefaultRules()}
	s := open(t, opts)
	presencetest.SignIn(t, s, 300)
	opts.Shards = 16
	for _, at := range []float64{0.25, 0.75} { // copying, and frozen
		ctx, cancel := context.WithCancel(t.Context())
		_, err := Reshard(ctx, opts, func(done, total int) {
			if float64(done) > at*float64(total) {
				cancel()
			}
		})
		require.ErrorIs(t, err, context.Canceled)
		require.NoError(t, s.Check(t.Context()))
		results, err := s.Beat(t.Context(), []presence.Beat{{UserID: "ann", DeviceID: "phone"}})
		require.NoError(t, err)
		require.NoError(t, results[0].Err)
	}
	done, err := Reshard(t.Context(), opts, untold)
	require.NoError(t, err)
	require.Equal(t, 301, done.Users)
}
