package scale

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
	"rollcall/internal/presence/redisstore"
	"rollcall/internal/redistest"
)

const (
	shards = 16
	// long is a time in which nothing happens by itself.
	long = time.Hour
	// patience is how long a machine that is slow may take.
	patience = 2 * time.Minute
)

// idKinds are the users' ids as databases make them.
var idKinds = map[string]func(i int) string{
	"numeric": func(i int) string { return strconv.Itoa(1_000_000 + i) },
	"uuid":    uuid,
}

// uuid is the i-th of a fixed row of random UUIDs.
func uuid(i int) string {
	r := rand.NewPCG(uint64(i), 0)
	a, b := r.Uint64(), r.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-%04x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>48&0x3fff|0x8000, b&0xffffffffffff)
}

// population is users on a cluster of their own, swept as a node sweeps.
type population struct {
	plan    plan
	url     string
	servers []*redis.Client
	rules   presence.Rules
	store   *redisstore.Store
	// beats extend the sessions of the users, by the users' numbers.
	beats []presence.Beat
}

func newPopulation(t *testing.T, p plan) *population {
	t.Helper()
	cluster := redistest.StartCluster(t, 3, 0)
	pop := &population{
		plan: p, url: cluster.URL(),
		rules: presence.Rules{TTL: p.ttl, BackgroundTTL: long, AwayAfter: long},
	}
	for _, node := range cluster.Nodes {
		pop.servers = append(pop.servers, node.Client())
	}
	pop.store = pop.open(t, nil)
	sweeper := presence.NewSweeper(pop.store, slog.New(slog.NewTextHandler(t.Output(), nil)))
	sweeper.Start()
	t.Cleanup(sweeper.Stop)
	return pop
}

// open is a store of the population, with the servers' clock unless now is given.
func (p *population) open(t *testing.T, now func() presence.Millis) *redisstore.Store {
	t.Helper()
	s, err := redisstore.Open(redisstore.Options{
		URL: p.url, Prefix: "rollcall", Shards: shards, LevelIndex: true, Rules: p.rules, Now: now,
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// signIn brings so many users online, whose leases last long: a heartbeat in
// the background follows each sign-in.
func (p *population) signIn(t *testing.T, n int) {
	t.Helper()
	began := time.Now()
	p.beats = make([]presence.Beat, n)
	for i := range p.beats {
		p.beats[i] = presence.Beat{UserID: p.plan.id(i), DeviceID: uuid(-1 - i)}
	}
	const step = 4000
	for from := 0; from < n; from += step {
		part := p.beats[from:min(n, from+step)]
		p.beat(t, p.store, part, presence.SignedIn)
		for i := range part {
			part[i].Kind = presence.Background
		}
		p.beat(t, p.store, part, presence.Refreshed)
		for i := range part {
			part[i].Kind = presence.Active
		}
	}
	p.requireTotal(t, n)
	t.Logf("%s users signed in, %s a second", thousands(n), thousands(int(float64(n)/time.Since(began).Seconds())))
}

// beat sends beats, all of which must have this outcome, and keeps their epochs.
// It returns when their leases end.
func (p *population) beat(t *testing.T, s *redisstore.Store, beats []presence.Beat, want presence.Outcome) []presence.Millis {
	t.Helper()
	results := answer(t, func() ([]presence.BeatResult, error) { return s.Beat(t.Context(), beats) })
	ends := make([]presence.Millis, len(results))
	for i, r := range results {
		require.NoError(t, r.Err)
		require.Equal(t, want, r.Outcome)
		beats[i].Epoch, ends[i] = r.Epoch, r.LeaseEnd
	}
	return ends
}

// requireTotal checks how many users are online, by the list and by the shards' sizes.
func (p *population) requireTotal(t *testing.T, n int) {
	t.Helper()
	page := answer(t, func() (presence.Page, error) {
		return p.store.Page(t.Context(), presence.PageRequest{Order: presence.LastActiveDesc})
	})
	require.Equal(t, n, page.Total)
	sum := 0
	for _, online := range p.stats(t).OnlineByShard {
		sum += online
	}
	require.Equal(t, n, sum)
}

func (p *population) stats(t *testing.T) presence.Stats {
	t.Helper()
	return answer(t, func() (presence.Stats, error) { return p.store.Stats(t.Context()) })
}

// answer is what the store answers. On a machine that is too busy it refuses
// for want of time, which is slow and not wrong: then it is asked again.
func answer[T any](t *testing.T, ask func() (T, error)) T {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		got, err := ask()
		if !refused(err) || time.Now().After(deadline) {
			require.NoError(t, err)
			return got
		}
	}
}

func refused(err error) bool {
	var unavailable *presence.UnavailableError
	return errors.As(err, &unavailable)
}
