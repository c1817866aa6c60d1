package redisstore

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
	"rollcall/internal/presence/presencetest"
	"rollcall/internal/redistest"
)

// One node at a time sweeps; another goes on when it falls silent.
func TestSweepingIsTakenOver(t *testing.T) {
	t.Parallel()
	clock := presencetest.NewClock()
	o := Options{URL: redistest.Shared(t).URL(), Prefix: redistest.Prefix(t), Shards: 1, Buckets: 8, Now: clock.Now}
	a, b := open(t, o), open(t, o)
	sweeps := func(s *Store) bool {
		r, err := s.Sweep(t.Context(), 0)
		require.NoError(t, err)
		return !r.Elsewhere
	}
	require.True(t, sweeps(a))
	require.False(t, sweeps(b))
	clock.Advance(presence.SweepEvery)
	require.True(t, sweeps(a))
	clock.Advance(sweepHold - time.Millisecond)
	require.False(t, sweeps(b))
	clock.Advance(2 * presence.SweepEvery)
	require.True(t, sweeps(b))
	require.False(t, sweeps(a))

	// What happened while the other one swept is not missed.
	_, err := a.Beat(t.Context(), []presence.Beat{{UserID: "ann", DeviceID: "phone"}})
	require.NoError(t, err)
	for range 100 {
		clock.Advance(presence.SweepEvery * 5)
		sweeps(b)
	}
	clock.Advance(sweepHold)
	require.True(t, sweeps(a))
	ps, err := a.Presences(t.Context(), []string{"ann"})
	require.NoError(t, err)
	require.Equal(t, presence.Offline, ps[0].Status)
}

// signedIn is a store with ann online, on a clock, past the grace of an empty store.
func signedIn(t *testing.T, url string) (*Store, *presencetest.Clock) {
	t.Helper()
	clock := presencetest.NewClock()
	s := open(t, Options{URL: url, Prefix: redistest.Prefix(t), Shards: 1, Buckets: 8, LevelIndex: true, Now: clock.Now})
	for range 20 { // as a sweeper does: no gap
		presencetest.Sweep(t.Context(), t, s)
		clock.Advance(presence.DefaultRules().Gap())
	}
	presencetest.Sweep(t.Context(), t, s)
	_, err := s.Beat(t.Context(), []presence.Beat{{UserID: "ann", DeviceID: "phone"}})
	require.NoError(t, err)
	return s, clock
}

func status(t *testing.T, s *Store, userID string) presence.Status {
	t.Helper()
	ps, err := s.Presences(t.Context(), []string{userID})
	require.NoError(t, err)
	return ps[0].Status
}

// sweepFor sweeps while time goes by, without a gap.
func sweepFor(t *testing.T, s *Store, clock *presencetest.Clock, d time.Duration) {
	t.Helper()
	for step := presence.DefaultRules().Gap() / 2; d > 0; d -= step {
		clock.Advance(min(d, step))
		presencetest.Sweep(t.Context(), t, s)
	}
}

// However short an outage is, nobody is expired before they had a TTL to beat again.
func TestAShortOutageGrantsGrace(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	s, clock := signedIn(t, server.URL())
	sweepFor(t, s, clock, presence.DefaultTTL-time.Second)
	server.Pause()
	_, err := s.Sweep(t.Context(), 0)
	var unavailable *presence.UnavailableError
	require.ErrorAs(t, err, &unavailable)
	server.Resume()
	clock.Advance(time.Second) // the lease is over, and there was no gap
	require.Eventually(t, func() bool { _, err := s.Sweep(t.Context(), 0); return err == nil }, patience, time.Millisecond)
	require.Equal(t, presence.Online, status(t, s, "ann"))
	sweepFor(t, s, clock, presence.DefaultTTL-time.Millisecond)
	require.Equal(t, presence.Online, status(t, s, "ann"))
	sweepFor(t, s, clock, time.Millisecond)
	require.Equal(t, presence.Offline, status(t, s, "ann"))
}

// A node's own trouble is no outage of the store: whoever sweeps meanwhile goes on.
func TestOneNodesTroubleIsNoOutage(t *testing.T) {
	t.Parallel()
	s, clock := signedIn(t, redistest.Shared(t).URL())
	other := open(t, Options{URL: s.opts.URL, Prefix: s.opts.Prefix, Shards: 1, Buckets: 8, LevelIndex: true, Now: clock.Now})
	sweepFor(t, s, clock, presence.DefaultTTL-time.Second)
	other.current().outages[0].Store(true) // as a failed call does
	r, err := other.Sweep(t.Context(), 0)
	require.NoError(t, err)
	require.True(t, r.Elsewhere)
	require.False(t, other.current().outages[0].Load())
	sweepFor(t, s, clock, time.Second)
	require.Equal(t, presence.Offline, status(t, s, "ann"))
}

// The first beat after an outage extends a lease that ended meanwhile.
func TestABeatAfterAnOutage(t *testing.T) {
	t.Parallel()
	s, clock := signedIn(t, redistest.Shared(t).URL())
	sweepFor(t, s, clock, presence.DefaultTTL-time.Second)
	ps, err := s.Presences(t.Context(), []string{"ann"})
	require.NoError(t, err)
	clock.Advance(time.Second)
	s.current().outages[0].Store(true)
	results, err := s.Beat(t.Context(), []presence.Beat{{UserID: "ann", DeviceID: "phone", Epoch: ps[0].Epoch}})
	require.NoError(t, err)
	require.Equal(t, presence.Refreshed, results[0].Outcome)
}

// A server's clock that is set back stops nothing.
func TestTheClockIsSetBack(t *testing.T) {
	t.Parallel()
	s, clock := signedIn(t, redistest.Shared(t).URL())
	presencetest.Sweep(t.Context(), t, s)
	clock.Advance(-10 * time.Minute)
	_, err := s.Beat(t.Context(), []presence.Beat{{UserID: "bob", DeviceID: "phone"}})
	require.NoError(t, err)
	sweepFor(t, s, clock, presence.DefaultTTL-time.Millisecond)
	require.Equal(t, presence.Online, status(t, s, "bob"))
	sweepFor(t, s, clock, 3*time.Second) // grace was granted at the first sweep
	require.Equal(t, presence.Offline, status(t, s, "bob"))
}

// A record that can't be read costs its user their place until the next beat,
// and nobody else anything.
func TestAnUnreadableRecord(t *testing.T) {
	t.Parallel()
	s, clock := signedIn(t, redistest.Shared(t).URL())
	_, err := s.Beat(t.Context(), []presence.Beat{{UserID: "bob", DeviceID: "phone"}})
	require.NoError(t, err)
	_, bucket := s.current().place("bob")
	require.NoError(t, s.client.HSet(t.Context(), s.current().keys[0].session[bucket], "bob", "?").Err())
	require.Equal(t, presence.Offline, status(t, s, "bob"))
	sweepFor(t, s, clock, presence.DefaultTTL)
	require.Equal(t, presence.Offline, status(t, s, "ann"), "is expired in time")
	page, err := s.Page(t.Context(), presence.PageRequest{Order: presence.LevelDesc, First: 10})
	require.NoError(t, err)
	require.Empty(t, page.Rows)
	_, err = s.Beat(t.Context(), []presence.Beat{{UserID: "bob", DeviceID: "phone"}})
	require.NoError(t, err)
	require.Equal(t, presence.Online, status(t, s, "bob"))
}

// An event log that was lost alone begins anew.
func TestALostEventLog(t *testing.T) {
	t.Parallel()
	s, _ := signedIn(t, redistest.Shared(t).URL())
	before, err := s.Tail(t.Context())
	require.NoError(t, err)
	require.NoError(t, s.client.Del(context.Background(), s.current().keys[0].events).Err())
	_, _, err = s.Range(t.Context(), 0, before[0])
	require.ErrorIs(t, err, presence.ErrTrimmed)
	after, err := s.Tail(t.Context())
	require.NoError(t, err)
	require.NotEqual(t, before, after)
	events, _, err := s.Range(t.Context(), 0, after[0])
	require.NoError(t, err)
	require.Empty(t, events)
}
