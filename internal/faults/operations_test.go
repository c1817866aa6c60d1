package faults

import (
	"context"
	"fmt"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// operation is something that takes a node more than one call to Redis, or changes
// something by one.
type operation struct {
	name   string
	shards int
	calls  int // at least
	// prepare is done by a member that nothing happens to.
	prepare func(m *member)
	// run may be run again after an error, by another member too. Its answer is compared.
	run func(ctx context.Context, m *member) (answer any, err error)
	// after is what a node does by itself then; may be nil.
	after func(m *member)
}

func operations() []operation {
	return []operation{
		{"sign-in, with its level", 1, 3, nobody, signsIn("phone", "ann"), nil},
		{"takeover", 1, 3, online("ann", "ben"), signsIn("tablet", "ann"), nil},
		{"sign-in of many, with levels that the nodes share", 16, 7, shared("ann", "ben", "cyd"), signsIn("phone", "ann", "ben", "cyd"), nil},
		{"sign-out", 1, 1, online("ann", "ben"), func(ctx context.Context, m *member) (any, error) {
			_, err := m.service.Disconnect(ctx, "ann") // run twice, the second answer is that nobody was online
			return nil, err
		}, nil},
		{"page of which one shard has the most", 16, 17, online(append(ofShard(3, 40), ofShard(5, 9)...)...), readsAPage, nil},
		{"sweep that expires, makes AWAY and forgets", 1, 3, somethingToSweep, func(ctx context.Context, m *member) (any, error) {
			return nil, m.sweep(ctx)
		}, func(m *member) { m.pass(presence.DefaultTTL + presence.DefaultRules().Gap()) }}, // an outage grants a TTL of grace
		{"read of the event log", 1, 2, online("ann", "ben", "cyd"), followsTheLog, nil},
		{"read of user details", 1, 4, nobody, readsDetails, nil},
		{"refresh of user details", 1, 4, knownByAnotherName, func(ctx context.Context, m *member) (any, error) {
			if err := m.details.Refresh(ctx, []string{"ann", "ben"}); err != nil {
				return nil, err
			}
			return readsDetails(ctx, m)
		}, nil},
	}
}

func nobody(*member) {}

func online(ids ...string) func(*member) {
	return func(m *member) { require.NoError(m.t, m.signIn(context.Background(), "phone", ids...)) }
}

func signsIn(device string, ids ...string) func(context.Context, *member) (any, error) {
	return func(ctx context.Context, m *member) (any, error) { return nil, m.signIn(ctx, device, ids...) }
}

func readsAPage(ctx context.Context, m *member) (any, error) {
	return m.service.Page(ctx, presence.PageRequest{Order: presence.LastActiveDesc, First: 30})
}

func followsTheLog(ctx context.Context, m *member) (any, error) {
	events, _, err := m.store.Follow(ctx, 0, m.begin[0], time.Second)
	var told []string
	for _, e := range events {
		told = append(told, fmt.Sprintf("%s %s", e.Presence.UserID, e.Type))
	}
	return told, err
}

func readsDetails(ctx context.Context, m *member) (any, error) {
	return m.details.Load(ctx, []string{"ann", "ben"})
}

// shared has details of users in the cache that nodes share.
func shared(ids ...string) func(*member) {
	return func(m *member) {
		_, err := m.details.Load(context.Background(), ids)
		require.NoError(m.t, err)
	}
}

func knownByAnotherName(m *member) {
	shared("ann", "ben")(m)
	m.people.rename("New")
}

// somethingToSweep leaves one user to be forgotten, one who is newly AWAY, and three whose
// leases are over.
func somethingToSweep(m *member) {
	online("old")(m)
	_, err := m.service.Disconnect(context.Background(), "old")
	require.NoError(m.t, err)
	m.clock.Advance(presence.SeenFor - time.Minute)
	// The buckets have their turn to be searched now, and then not for an hour; the
	// grace that the gap grants is over when it is needed.
	require.NoError(m.t, m.sweep(context.Background()))
	online("idle")(m)
	for range 3 {
		staysInTheBackground(m, "idle")
		m.pass(time.Minute)
	}
	const lease, lastSweep = presence.DefaultTTL, 4 * time.Second // less than a gap before the end
	m.pass(2*time.Minute - lease - lastSweep/2)
	online("lost-1", "lost-2", "lost-3")(m)
	staysInTheBackground(m, "idle")
	m.pass(lease - lastSweep/2)
	m.clock.Advance(lastSweep)
}

func staysInTheBackground(m *member, id string) {
	session := m.sessions[id]
	_, err := m.service.Heartbeat(context.Background(), presence.Heartbeat{UserID: id, DeviceID: "phone", Session: &session, Kind: presence.Background})
	require.NoError(m.t, err)
}

// ofShard are n users of one of 16 shards.
func ofShard(shard, n int) (ids []string) {
	for i := 0; len(ids) < n; i++ {
		if id := fmt.Sprintf("of-%d-%d", shard, i); presence.Shard(id, 16) == shard {
			ids = append(ids, id)
		}
	}
	return ids
}
