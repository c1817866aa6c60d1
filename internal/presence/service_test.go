package presence_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/logtest"
	"rollcall/internal/presence"
	"rollcall/internal/presence/memstore"
	"rollcall/internal/presence/presencetest"
)

// service is a Service over a store in memory, with what tests look at.
type service struct {
	*presence.Service
	store *memstore.Store
	clock *presencetest.Clock
}

func newService(levels presence.Levels) service {
	clock := presencetest.NewClock()
	store := memstore.New(memstore.Options{Shards: 4, LevelIndex: true, Now: clock.Now})
	return service{presence.NewService(store, presence.DefaultRules(), levels, quiet()), store, clock}
}

// requireUntouched checks that nobody is online and nothing was told.
func (s service) requireUntouched(t *testing.T, do func()) {
	t.Helper()
	before, err := s.store.Tail(t.Context())
	require.NoError(t, err)
	do()
	after, err := s.store.Tail(t.Context())
	require.NoError(t, err)
	require.Equal(t, before, after)
	total, err := s.Count(t.Context())
	require.NoError(t, err)
	require.Zero(t, total)
}

func TestHeartbeatSessions(t *testing.T) {
	s := newService(nil)
	first, err := s.Heartbeat(t.Context(), presence.Heartbeat{UserID: "ann", DeviceID: "phone"})
	require.NoError(t, err)
	require.Equal(t, presence.SignedIn, first.Outcome)
	require.Equal(t, s.clock.Now(), first.Now)
	require.Equal(t, s.clock.Now().Add(time.Minute), first.ExpiresAt)
	require.InDelta(t, 24*time.Second, first.NextBeat, float64(3*time.Second))

	s.clock.Advance(time.Second)
	next, err := s.Heartbeat(t.Context(), presence.Heartbeat{
		UserID: "ann", DeviceID: "phone", Session: &first.Session, Kind: presence.Background,
	})
	require.NoError(t, err)
	require.Equal(t, presence.Refreshed, next.Outcome)
	require.Equal(t, first.Session, next.Session)
	require.Equal(t, first.Epoch, next.Epoch)
	require.InDelta(t, time.Minute, next.NextBeat, float64(7*time.Second))

	second, err := s.Heartbeat(t.Context(), presence.Heartbeat{UserID: "ann", DeviceID: "tablet"})
	require.NoError(t, err)
	require.Equal(t, presence.ReplacedOtherDevice, second.Outcome)
	_, err = s.Heartbeat(t.Context(), presence.Heartbeat{UserID: "ann", DeviceID: "phone", Session: &first.Session})
	require.ErrorIs(t, err, presence.ErrSessionReplaced)

	ended, err := s.GoOffline(t.Context(), "ann", "phone", first.Session)
	require.NoError(t, err)
	require.False(t, ended, "a replaced session ends nothing")
	ended, err = s.GoOffline(t.Context(), "ann", "tablet", second.Session)
	require.NoError(t, err)
	require.True(t, ended)
	_, err = s.Heartbeat(t.Context(), presence.Heartbeat{UserID: "ann", DeviceID: "tablet", Session: &second.Session})
	require.ErrorIs(t, err, presence.ErrSessionEnded)
}

func TestHeartbeatBadInput(t *testing.T) {
	token := presence.SessionToken("ann", "phone", 42)
	ahead := presence.SessionToken("ann", "phone", presence.MaxEpoch)
	garbage, empty := "garbage", ""
	for name, h := range map[string]presence.Heartbeat{
		"no user":                   {DeviceID: "phone"},
		"user with control":         {UserID: "a\x00", DeviceID: "phone"},
		"no device":                 {UserID: "ann"},
		"a token of another user":   {UserID: "bob", DeviceID: "phone", Session: &token},
		"a token of another device": {UserID: "ann", DeviceID: "tablet", Session: &token},
		"garbage as a token":        {UserID: "ann", DeviceID: "phone", Session: &garbage},
		"an empty token":            {UserID: "ann", DeviceID: "phone", Session: &empty},
		"a token from the future":   {UserID: "ann", DeviceID: "phone", Session: &ahead},
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(nil)
			s.requireUntouched(t, func() {
				_, err := s.Heartbeat(t.Context(), h)
				requireInvalid(t, err)
				if h.Session == nil {
					return
				}
				_, err = s.GoOffline(t.Context(), h.UserID, h.DeviceID, *h.Session)
				requireInvalid(t, err)
			})
		})
	}
}

func TestHeartbeatsLimits(t *testing.T) {
	many := func(n int) []presence.Heartbeat {
		hs := make([]presence.Heartbeat, n)
		for i := range hs {
			hs[i] = presence.Heartbeat{UserID: fmt.Sprint("user", i), DeviceID: "phone"}
		}
		return hs
	}
	for _, n := range []int{0, presence.MaxBeats + 1} {
		s := newService(nil)
		s.requireUntouched(t, func() {
			_, err := s.Heartbeats(t.Context(), many(n))
			requireInvalid(t, err)
		})
	}
	for _, n := range []int{1, presence.MaxBeats} {
		s := newService(nil)
		results, err := s.Heartbeats(t.Context(), many(n))
		require.NoError(t, err)
		require.Len(t, results, n)
		total, err := s.Count(t.Context())
		require.NoError(t, err)
		require.Equal(t, n, total)
	}
}

func TestHeartbeatsOfOneUserTwice(t *testing.T) {
	s := newService(nil)
	s.requireUntouched(t, func() {
		_, err := s.Heartbeats(t.Context(), []presence.Heartbeat{
			{UserID: "ann", DeviceID: "phone"}, {UserID: "bob", DeviceID: "phone"}, {UserID: "ann", DeviceID: "tablet"},
		})
		requireInvalid(t, err)
	})
}

// An entry's error is its own; the others are taken, and answered in order.
func TestHeartbeatsErrorsByEntry(t *testing.T) {
	s := newService(nil)
	old, err := s.Heartbeat(t.Context(), presence.Heartbeat{UserID: "old", DeviceID: "phone"})
	require.NoError(t, err)
	_, err = s.Heartbeat(t.Context(), presence.Heartbeat{UserID: "old", DeviceID: "tablet"})
	require.NoError(t, err)
	gone, err := s.Heartbeat(t.Context(), presence.Heartbeat{UserID: "gone", DeviceID: "phone"})
	require.NoError(t, err)
	ended, err := s.Disconnect(t.Context(), "gone")
	require.NoError(t, err)
	require.True(t, ended)

	ahead := presence.SessionToken("far", "phone", presence.MaxEpoch)
	results, err := s.Heartbeats(t.Context(), []presence.Heartbeat{
		{UserID: "a b", DeviceID: "phone"},
		{UserID: "ann", DeviceID: "phone"},
		{UserID: "old", DeviceID: "phone", Session: &old.Session},
		{UserID: "bob", DeviceID: ""},
		{UserID: "gone", DeviceID: "phone", Session: &gone.Session},
		{UserID: "far", DeviceID: "phone", Session: &ahead},
		{UserID: "cid", DeviceID: "phone"},
	})
	require.NoError(t, err)
	require.Len(t, results, 7)
	for _, i := range []int{0, 3, 5} {
		requireInvalid(t, results[i].Err)
		require.Zero(t, results[i].Lease)
	}
	require.ErrorIs(t, results[2].Err, presence.ErrSessionReplaced)
	require.ErrorIs(t, results[4].Err, presence.ErrSessionEnded)
	for i, user := range map[int]string{1: "ann", 6: "cid"} {
		require.NoError(t, results[i].Err)
		epoch, err := presence.ParseSessionToken(results[i].Lease.Session, user, "phone")
		require.NoError(t, err)
		require.Equal(t, results[i].Lease.Epoch, epoch)
	}

	none, err := s.Heartbeats(t.Context(), []presence.Heartbeat{{UserID: "", DeviceID: "phone"}})
	require.NoError(t, err)
	requireInvalid(t, none[0].Err)
}

func TestDisconnectAndPresencesBadInput(t *testing.T) {
	s := newService(nil)
	_, err := s.Disconnect(t.Context(), "a b")
	requireInvalid(t, err)
	_, err = s.GoOffline(t.Context(), "ann", "", "token")
	requireInvalid(t, err)
	_, err = s.Presences(t.Context(), []string{"ann", ""})
	requireInvalid(t, err)
	_, err = s.Presences(t.Context(), make([]string, presence.MaxIDs+1))
	requireInvalid(t, err)
	none, err := s.Presences(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, none)
	some, err := s.Presences(t.Context(), []string{"bob", "ann", "bob"})
	require.NoError(t, err)
	require.Len(t, some, 3)
	require.Equal(t, "ann", some[1].UserID)
}

func TestPageLimits(t *testing.T) {
	s := newService(nil)
	for _, first := range []int{-1, 0, presence.MaxFirst + 1} {
		_, err := s.Total(t.Context(), presence.PageRequest{Order: presence.LastActiveDesc, First: first})
		requireInvalid(t, err)
		_, err = s.Page(t.Context(), presence.PageRequest{Order: presence.LastActiveDesc, First: first})
		requireInvalid(t, err)
	}
	for _, first := range []int{1, presence.MaxFirst} {
		_, err := s.Page(t.Context(), presence.PageRequest{Order: presence.LastActiveDesc, First: first})
		require.NoError(t, err)
	}
	page, err := s.Page(t.Context(), presence.PageRequest{
		Order: presence.LevelAsc, First: 1, Filter: presence.Filter{Status: presence.Offline},
	})
	require.NoError(t, err)
	require.Zero(t, page)
}

func TestPageWithoutLevelIndex(t *testing.T) {
	store := memstore.New(memstore.Options{})
	s := presence.NewService(store, presence.DefaultRules(), tableOfLevels{"ann": 1}, quiet())
	_, err := s.Page(t.Context(), presence.PageRequest{Order: presence.LevelAsc, First: 1})
	requireInvalid(t, err)
	_, err = s.Total(t.Context(), presence.PageRequest{Order: presence.LastActiveDesc, First: 1, Filter: presence.Filter{Levels: &presence.LevelRange{}}})
	requireInvalid(t, err)
	require.NoError(t, s.RefreshLevels(t.Context(), []string{"ann"}))
}

// tableOfLevels is a directory of levels.
type tableOfLevels map[string]int

func (l tableOfLevels) Levels(_ context.Context, ids []string) (map[string]int, error) {
	levels := map[string]int{}
	for _, id := range ids {
		levels[id] = presence.NoLevel
		if level, ok := l[id]; ok {
			levels[id] = level
		}
	}
	return levels, nil
}

func TestLevelsAreTakenAtSignIn(t *testing.T) {
	levels := tableOfLevels{"ann": 7, "bob": 3}
	s := newService(levels)
	count := func(level int) int {
		n, err := s.Total(t.Context(), presence.PageRequest{Order: presence.LastActiveDesc, First: 1, Filter: presence.NewFilter("", &level, &level)})
		require.NoError(t, err)
		return n
	}
	ann, err := s.Heartbeat(t.Context(), presence.Heartbeat{UserID: "ann", DeviceID: "phone"})
	require.NoError(t, err)
	_, err = s.Heartbeats(t.Context(), []presence.Heartbeat{{UserID: "bob", DeviceID: "phone"}, {UserID: "cid", DeviceID: "phone"}})
	require.NoError(t, err)
	require.Equal(t, 1, count(7))
	require.Equal(t, 1, count(3))

	levels["ann"] = 8
	_, err = s.Heartbeat(t.Context(), presence.Heartbeat{UserID: "ann", DeviceID: "phone", Session: &ann.Session})
	require.NoError(t, err)
	require.Equal(t, 1, count(7), "a session that goes on asks no directory")
	require.NoError(t, s.RefreshLevels(t.Context(), []string{"ann", "nobody"}))
	require.Equal(t, 1, count(8))

	levels["bob"] = 4
	_, err = s.Heartbeat(t.Context(), presence.Heartbeat{UserID: "bob", DeviceID: "tablet"})
	require.NoError(t, err)
	require.Equal(t, 1, count(4), "a takeover asks again")
}

// levelsFunc is a directory made of a function.
type levelsFunc func(ctx context.Context, ids []string) (map[string]int, error)

func (f levelsFunc) Levels(ctx context.Context, ids []string) (map[string]int, error) {
	return f(ctx, ids)
}

func TestFailingLevelsNeverFailABeat(t *testing.T) {
	broken := errors.New("the directory is broken")
	for name, levels := range map[string]levelsFunc{
		"error": func(context.Context, []string) (map[string]int, error) { return nil, broken },
		"stuck": func(ctx context.Context, _ []string) (map[string]int, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(levels)
			lease, err := s.Heartbeat(t.Context(), presence.Heartbeat{UserID: "ann", DeviceID: "phone"})
			require.NoError(t, err)
			require.NotEmpty(t, lease.Session)
			results, err := s.Heartbeats(t.Context(), []presence.Heartbeat{{UserID: "bob", DeviceID: "phone"}})
			require.NoError(t, err)
			require.NoError(t, results[0].Err)
			total, err := s.Count(t.Context())
			require.NoError(t, err)
			require.Equal(t, 2, total)
			require.Error(t, s.RefreshLevels(timeLimited(t), []string{"ann"}))
		})
	}
}

// levelless is a store that takes no levels.
type levelless struct {
	presence.Store
	err error
}

func (s levelless) SetLevels(context.Context, map[string]int) error { return s.err }

// In an outage every sign-in goes without its level, which is not worth a line each.
func TestWhatIsLoggedOfMissingLevels(t *testing.T) {
	fine := levelsFunc(func(context.Context, []string) (map[string]int, error) { return map[string]int{"ann": 1}, nil })
	for name, c := range map[string]struct {
		levels levelsFunc
		err    error // of the store
		level  slog.Level
	}{
		"directory": {
			func(context.Context, []string) (map[string]int, error) { return nil, errors.New("no database") },
			nil, slog.LevelDebug,
		},
		"outage": {fine, &presence.UnavailableError{Cause: errors.New("refused")}, slog.LevelDebug},
		"defect": {fine, errors.New("a wrong answer"), slog.LevelWarn},
	} {
		t.Run(name, func(t *testing.T) {
			log, logged := logtest.New(slog.LevelDebug)
			store := levelless{memstore.New(memstore.Options{LevelIndex: true}), c.err}
			s := presence.NewService(store, presence.DefaultRules(), c.levels, log)
			_, err := s.Heartbeat(t.Context(), presence.Heartbeat{UserID: "ann", DeviceID: "phone"})
			require.NoError(t, err)
			require.Equal(t, 1, logged.Count(c.level), logged)
		})
	}
}

func timeLimited(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}

// unreachable is a store that can't be reached.
type unreachable struct{ presence.Store }

func (unreachable) Beat(context.Context, []presence.Beat) ([]presence.BeatResult, error) {
	return nil, &presence.UnavailableError{RetryAfter: time.Second, Cause: errors.New("connection refused")}
}

func TestUnreachableStore(t *testing.T) {
	s := presence.NewService(unreachable{memstore.New(memstore.Options{})}, presence.DefaultRules(), nil, quiet())
	_, err := s.Heartbeat(t.Context(), presence.Heartbeat{UserID: "ann", DeviceID: "phone"})
	var unavailable *presence.UnavailableError
	require.ErrorAs(t, err, &unavailable)
	require.Equal(t, time.Second, unavailable.RetryAfter)
	_, err = s.Heartbeats(t.Context(), []presence.Heartbeat{{UserID: "ann", DeviceID: "phone"}})
	require.ErrorAs(t, err, &unavailable)
}
