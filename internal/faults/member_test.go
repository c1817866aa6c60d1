package faults

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
	"rollcall/internal/presence/presencetest"
	"rollcall/internal/presence/redisstore"
	"rollcall/internal/users"
	"rollcall/internal/users/directory"
	"rollcall/internal/users/redistier"
)

// member is what a node does with Redis, without the node: its own loops would be among
// the calls that are counted.
type member struct {
	t        *testing.T
	clock    *presencetest.Clock // Redis', for all members
	store    *redisstore.Store
	people   *people
	details  *directory.Directory
	service  *presence.Service
	sessions map[string]string // by user: the session token of the last sign-in by this member
	begin    presence.Position // of the event logs, before anything has happened
	close    func()
}

// joinMembers is a member of the service that keeps its presence on a server.
func joinMembers(t *testing.T, addr string, shards int, clock *presencetest.Clock, people *people) *member {
	t.Helper()
	store, err := redisstore.Open(redisstore.Options{
		URL: "redis://" + addr + "/0", Prefix: "members", Shards: shards, Buckets: shards,
		Rules: presence.DefaultRules(), LevelIndex: true, Now: clock.Now,
	})
	require.NoError(t, err)
	tier, err := redistier.New(store.Client(), "members")
	require.NoError(t, err)
	// On a busy machine the tier is not to be given up for its slowness.
	details, err := directory.New(people, directory.Options{Tier: tier, TierBudget: back})
	require.NoError(t, err)
	m := &member{t: t, clock: clock, people: people, store: store, details: details, sessions: map[string]string{}}
	m.service = presence.NewService(store, presence.DefaultRules(), m, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { m.service.Run(ctx) })
	m.close = func() {
		cancel()
		running.Wait()
		require.NoError(t, store.Close())
	}
	return m
}

var _ presence.Levels = (*member)(nil)

// Levels implements [presence.Levels], as a node does.
func (m *member) Levels(ctx context.Context, ids []string) (map[string]int, error) {
	found, err := m.details.Load(ctx, ids)
	levels := map[string]int{}
	for _, id := range ids {
		levels[id] = presence.ClampLevel(found[id].Level)
	}
	return levels, err
}

// signIn signs users in on a device.
func (m *member) signIn(ctx context.Context, device string, ids ...string) error {
	var beats []presence.Heartbeat
	for _, id := range ids {
		beats = append(beats, presence.Heartbeat{UserID: id, DeviceID: device, Kind: presence.Active})
	}
	results, err := m.service.Heartbeats(ctx, beats)
	for i, r := range results {
		m.sessions[ids[i]] = r.Lease.Session
		err = errors.Join(err, r.Err)
	}
	return err
}

// sweep sweeps all shards until nothing is due.
func (m *member) sweep(ctx context.Context) error {
	for shard := range m.store.Shards() {
		for more := true; more; {
			report, err := m.store.Sweep(ctx, shard)
			if err != nil {
				return err
			}
			more = report.More
		}
	}
	return nil
}

// pass lets time go by as it does where a node sweeps.
func (m *member) pass(d time.Duration) {
	m.t.Helper()
	for step := presence.DefaultRules().Gap(); d > 0; d -= step {
		m.clock.Advance(min(step, d))
		require.NoError(m.t, m.sweep(context.Background()))
	}
}

// people is a source of user details. Each user has a level of their own.
type people struct {
	mu   sync.Mutex
	name string // of everybody
}

var _ users.Source = (*people)(nil)

// Load implements [users.Source].
func (p *people) Load(_ context.Context, ids []string) (map[string]users.Details, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	found := map[string]users.Details{}
	for _, id := range ids {
		name, level := p.name, int(presence.Hash(id)%100)
		found[id] = users.Details{ID: id, Name: &name, Level: &level}
	}
	return found, nil
}

// rename gives everybody another name.
func (p *people) rename(to string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.name = to
}
