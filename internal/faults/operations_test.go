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
	// prepare is done by a member that nothing happens to.
	prepare func(m *member)
	// run may be run again after an error, by another member too. Its answer is compared.
	run func(ctx context.Context, m *member) (answer any, err error)
	// after is what a node does by itself then; may be nil.
	after func(m *member)
}

func operations() []operation {
	return []operation{
		{"sign-in, with its level", 1, nobody, signsIn("phone", "ann"), nil},
		{"takeover", 1, online("ann", "ben"), signsIn("tablet", "ann"), nil},
		{"sign-in of many", 16, nobody, signsIn("phone", numbered("user", 40)...), nil},
		{"sign-out", 1, online("ann", "ben"), func(ctx context.Context, m *member) (any, error) {
			_, err := m.service.Disconnect(ctx, "ann") // run twice, the second answer is that nobody was online
			return nil, err
		}, nil},
		{"page of which one shard has the most", 16, online(append(ofShard(3, 40), ofShard(5, 9)...)...), readsAPage, nil},
		{"sweep that expires, makes AWAY and forgets", 1, somethingToSweep, func(ctx context.Context, m *member) (any, error) {
			return nil, m.sweep(ctx)
		}, func(m *member) { m.pass(presence.DefaultTTL + presence.DefaultRules().Gap()) }}, // an outage grants a TTL of grace
		{"read of the event log", 1, online("ann", "ben", "cyd"), followsTheLog, nil},
		{"read of user details", 1, nobody, readsDetails, nil},
		{"refresh of user details", 1, knownByAnotherName, func(ctx context.Context, m *member) (any, error) {
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

func knownByAnotherName(m *member) {
	_, err := readsDetails(context.Background(), m)
	require.NoError(m.t, err)
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
		m.pass(time.Minute)
		staysInTheBackground(m, "idle")
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

func numbered(name string, n int) (ids []string) {
	for i := range n {
		ids = append(ids, fmt.Sprintf("%s-%d", name, i))
	}
	return ids
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
