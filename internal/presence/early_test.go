package presence_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
	"rollcall/internal/presence/memstore"
	"rollcall/internal/presence/presencetest"
)

// node is a service that answers early beats, over a store that others may share. Its clock and the store's go together.
type node struct {
	*presence.Service
	t     *testing.T
	store *askedStore
}

// askedStore counts the calls for beats.
type askedStore struct {
	*memstore.Store
	asked int
	// meanwhile happens once the store has answered the next call, and before anybody knows.
	meanwhile func()
}

func (s *askedStore) Beat(ctx context.Context, beats []presence.Beat) ([]presence.BeatResult, error) {
	s.asked++
	results, err := s.Store.Beat(ctx, beats)
	if do := s.meanwhile; do != nil {
		s.meanwhile = nil
		do()
	}
	return results, err
}

func nodeOver(t *testing.T, store *memstore.Store, clock *presencetest.Clock, rules presence.Rules, allowed int) *node {
	asked := &askedStore{Store: store}
	now := func() time.Time { return clock.Now().Time() }
	return &node{presence.NewService(asked, rules, nil, quiet()).AnsweringEarlyAt(allowed, now), t, asked}
}

func newNode(t *testing.T, allowed int) (*node, *presencetest.Clock) {
	clock := presencetest.NewClock()
	store := memstore.New(memstore.Options{Shards: 4, LevelIndex: true, Now: clock.Now})
	return nodeOver(t, store, clock, presence.DefaultRules(), allowed), clock
}

// signIn signs ann's phone in, and is her session.
func (n *node) signIn(device string) *string {
	n.t.Helper()
	lease, err := n.Heartbeat(n.t.Context(), presence.Heartbeat{UserID: "ann", DeviceID: device})
	require.NoError(n.t, err)
	return &lease.Session
}

// beat beats, and tells whether the store was asked.
func (n *node) beat(session *string, kind presence.BeatKind) (lease presence.Lease, asked bool, err error) {
	before := n.store.asked
	lease, err = n.Heartbeat(n.t.Context(), presence.Heartbeat{UserID: "ann", DeviceID: "phone", Session: session, Kind: kind})
	return lease, n.store.asked > before, err
}

func (n *node) requireAsked(session *string, kind presence.BeatKind, want bool) presence.Lease {
	n.t.Helper()
	lease, asked, err := n.beat(session, kind)
	require.NoError(n.t, err)
	require.Equal(n.t, want, asked)
	return lease
}

func TestEarlyBeatsAreAnsweredFromMemory(t *testing.T) {
	n, clock := newNode(t, 0)
	session := n.signIn("phone")
	signedIn := clock.Now()
	for _, after := range []time.Duration{0, time.Millisecond, 5998 * time.Millisecond} {
		clock.Advance(after)
		lease := n.requireAsked(session, presence.Active, false)
		require.Equal(t, presence.Refreshed, lease.Outcome)
		require.Equal(t, *session, lease.Session)
		require.Equal(t, clock.Now(), lease.Now)
		require.Equal(t, signedIn.Add(time.Minute), lease.ExpiresAt, "what the store has promised")
		require.Greater(t, lease.NextBeat, 15*time.Second)
		require.LessOrEqual(t, clock.Now().Add(lease.NextBeat), signedIn.Add(27*time.Second))
	}
	clock.Advance(time.Millisecond)
	lease := n.requireAsked(session, presence.Active, true)
	require.Equal(t, clock.Now().Add(time.Minute), lease.ExpiresAt)
	found, err := n.Presences(t.Context(), []string{"ann"})
	require.NoError(t, err)
	require.Equal(t, clock.Now(), found[0].LastActiveAt)
}

func TestTheFirstEarlyBeatsAreToldTheStore(t *testing.T) {
	n, clock := newNode(t, 3)
	session := n.signIn("phone")
	for range 3 {
		clock.Advance(10 * time.Millisecond)
		n.requireAsked(session, presence.Active, true)
	}
	for range 5 {
		clock.Advance(time.Second)
		n.requireAsked(session, presence.Active, false)
	}
	clock.Advance(time.Second)
	n.requireAsked(session, presence.Active, true)
	for range 3 {
		n.requireAsked(session, presence.Active, true)
	}
	n.requireAsked(session, presence.Active, false)
}

func TestWhatMayBeNewsAsksTheStore(t *testing.T) {
	n, clock := newNode(t, 0)
	session := n.signIn("phone")
	for _, kind := range []presence.BeatKind{presence.Background, presence.Active, presence.Pong, presence.Pong, presence.Active} {
		clock.Advance(time.Millisecond)
		n.requireAsked(session, kind, true)
	}
	n.requireAsked(session, presence.Active, false)
	clock.Advance(time.Millisecond)
	n.requireAsked(session, presence.Background, true)
	clock.Advance(5 * time.Second)
	n.requireAsked(session, presence.Background, false)
	clock.Advance(time.Second)
	n.requireAsked(session, presence.Background, true)
}

func TestAwayIsNotOverlooked(t *testing.T) {
	clock := presencetest.NewClock()
	rules := presence.Rules{TTL: time.Minute, BackgroundTTL: time.Minute, AwayAfter: 2 * time.Second}
	store := memstore.New(memstore.Options{Shards: 1, Rules: rules, Now: clock.Now})
	n := nodeOver(t, store, clock, rules, 0)
	session := n.signIn("phone")
	clock.Advance(39 * time.Millisecond)
	n.requireAsked(session, presence.Active, false)
	clock.Advance(time.Millisecond)
	n.requireAsked(session, presence.Active, true)
}

func TestASessionThatThisNodeHasEndedIsNotAnswered(t *testing.T) {
	for name, tt := range map[string]struct {
		end  func(n *node, session *string)
		want error
	}{
		"sign-in by another device": {func(n *node, _ *string) { n.signIn("laptop") }, presence.ErrSessionReplaced},
		"sign-in by the device":     {func(n *node, _ *string) { n.signIn("phone") }, presence.ErrSessionReplaced},
		"sign-in by a gateway": {func(n *node, _ *string) {
			_, err := n.Heartbeats(n.t.Context(), []presence.Heartbeat{{UserID: "ann", DeviceID: "laptop"}})
			require.NoError(n.t, err)
		}, presence.ErrSessionReplaced},
		"sign-out": {func(n *node, session *string) {
			_, err := n.GoOffline(n.t.Context(), "ann", "phone", *session)
			require.NoError(n.t, err)
		}, presence.ErrSessionEnded},
		"disconnection": {func(n *node, _ *string) {
			_, err := n.Disconnect(n.t.Context(), "ann")
			require.NoError(n.t, err)
		}, presence.ErrSessionEnded},
	} {
		t.Run(name, func(t *testing.T) {
			n, clock := newNode(t, 0)
			session := n.signIn("phone")
			clock.Advance(time.Millisecond)
			n.requireAsked(session, presence.Active, false)
			clock.Advance(time.Millisecond)
			tt.end(n, session)
			_, asked, err := n.beat(session, presence.Active)
			require.True(t, asked)
			require.ErrorIs(t, err, tt.want)
		})
		t.Run(name+" while a beat is under way", func(t *testing.T) {
			n, clock := newNode(t, 100)
			session := n.signIn("phone")
			clock.Advance(time.Millisecond)
			n.store.meanwhile = func() {
				clock.Advance(time.Millisecond)
				tt.end(n, session)
			}
			n.requireAsked(session, presence.Active, true)
			_, asked, err := n.beat(session, presence.Active)
			require.True(t, asked)
			require.ErrorIs(t, err, tt.want)
		})
	}
}

// What another node has done to a session is known within the window, since the store is asked then.
func TestASessionReplacedByAnotherNodeIsKnownWithinTheWindow(t *testing.T) {
	here, clock := newNode(t, 0)
	there := nodeOver(t, here.store.Store, clock, presence.DefaultRules(), 0)
	session := here.signIn("phone")
	clock.Advance(time.Second)
	there.signIn("laptop")
	here.requireAsked(session, presence.Active, false)
	found, err := here.Presences(t.Context(), []string{"ann"})
	require.NoError(t, err)
	require.Equal(t, "laptop", found[0].DeviceID, "the store alone decides whose session is live")
	clock.Advance(5 * time.Second)
	_, _, err = here.beat(session, presence.Active)
	require.ErrorIs(t, err, presence.ErrSessionReplaced)
}

// A node that was stopped, or whose clock was set, does not trust its memory.
func TestClocksThatDisagreeAskTheStore(t *testing.T) {
	n, clock := newNode(t, 0)
	session := n.signIn("phone")
	clock.Advance(-time.Minute)
	n.requireAsked(session, presence.Active, true)
}

func TestWhatIsRememberedIsBounded(t *testing.T) {
	n, clock := newNode(t, 0)
	for i := range 3 * presence.MostEarly {
		if i%1000 == 0 {
			clock.Advance(time.Millisecond)
		}
		_, err := n.Heartbeat(t.Context(), presence.Heartbeat{UserID: fmt.Sprint("user-", i), DeviceID: "d"})
		require.NoError(t, err)
	}
	require.LessOrEqual(t, n.EarlyKept(), 2*presence.MostEarly)
}
