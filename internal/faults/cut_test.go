package faults

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/redistest"
)

// isolation is a fault that keeps a node from Redis while it lives. Others can't tell the
// kinds apart; the node can.
type isolation struct {
	name       string
	begin, end func(*node, *proxy)
}

func isolations() []isolation {
	heal := func(_ *node, network *proxy) { network.heal() }
	return []isolation{
		{"partitioned from Redis, silently", func(_ *node, network *proxy) { network.blackhole() }, heal},
		{"partitioned from Redis, with resets", func(_ *node, network *proxy) { network.sever() }, heal},
		{"frozen", func(n *node, _ *proxy) { n.signal(syscall.SIGSTOP) }, func(n *node, _ *proxy) { n.signal(syscall.SIGCONT) }},
	}
}

func TestANodeIsIsolated(t *testing.T) {
	t.Parallel()
	for _, fault := range isolations() {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			n := sized(40, 500)
			redis := redistest.Start(t)
			network := startProxy(t, redis.Addr)
			s := newService(t, redis.URL(), sized(2*time.Second, 4*time.Second))
			far, near := s.start("ROLLCALL_REDIS_URL=redis://"+network.addr+"/0"), s.start()
			r, cut := s.record(near.only), s.record(far.only)
			s.settle()
			beats := s.launch("beats", n, s.beating, far.only)
			sockets := s.launch("socket", n, s.connected, far.only)
			others := s.launch("other", n, s.connected, near.only)
			users := append(beats.users, sockets.users...)

			fault.begin(far, network)
			pass(t, 2*s.ttl)
			r.awaitEvents(2*time.Second, 0, expired, users)
			healed, mark := time.Now(), r.mark()
			cutMark := cut.mark()
			fault.end(far, network)
			cut.awaitEvents(back, cutMark, cameOnline, users)
			var latest time.Duration
			for _, e := range r.awaitEvents(back, mark, cameOnline, users) {
				latest = max(latest, e.arrived.Sub(healed))
			}
			others.requireNoFailure()
			beats.requireAlive()
			sockets.requireAlive()
			want := history{}
			want.happened(users, cameOnline, expired, cameOnline)
			want.happened(others.users, cameOnline)
			cut.requireHistory(want)
			suite.table.add(row{
				"08", "a node is " + fault.name + ", for 2 TTL", fmt.Sprintf("%d users on it, %d elsewhere", 2*n, n),
				latest, "the last user was back", r.requireHistory(want),
			})
		})
	}
}

func TestClientsAreCutOff(t *testing.T) {
	t.Parallel()
	n := sized(60, 500)
	s := newService(t, redistest.Start(t).URL(), sized(2*time.Second, 4*time.Second))
	node, other, untouched := s.start(), s.start(), s.start()
	r := s.record(other.only)
	s.settle()
	network := startProxy(t, strings.TrimPrefix(node.url, "http://"))
	through := func() []string { return []string{"http://" + network.addr} }
	subscribers := s.subscribers(node)
	gone := s.launch("gone", n, s.connected, through)
	hidden := s.launch("hidden", n, s.hidden, through)
	s.record(through)
	require.Greater(t, s.subscribers(node), subscribers)
	require.Greater(t, network.heldByServer(), 2*n)

	cut := time.Now()
	network.blackhole()
	lastOf := func(f *fleet, lease time.Duration) (latest time.Duration) {
		for _, e := range r.awaitEvents(lease+s.ttl+5*time.Second, 0, expired, f.users) {
			latest = max(latest, e.At.Sub(cut))
		}
		require.LessOrEqual(t, latest, lease+expiredWithin)
		return latest
	}
	latest := lastOf(gone, s.ttl)
	lastOf(hidden, backgroundOf(s.ttl))
	awaitQuietly(back, func() bool { return network.heldByServer() == 0 })
	require.Zero(t, network.heldByServer())
	require.Equal(t, subscribers, s.subscribers(node))
	want := history{}
	want.happened(gone.users, cameOnline, expired)
	want.happened(hidden.users, cameOnline, expired)
	suite.table.add(row{
		"09", "clients are cut off without a FIN", fmt.Sprintf("%d sockets, %d in the background", n, n),
		latest, fmt.Sprintf("the last OFFLINE of the first; TTL is %v", s.ttl), r.requireHistory(want),
	})

	stacks := node.stacks()
	for _, stack := range stacks {
		require.NotContains(t, stack, "rollcall/internal/server/ws.", "a goroutine of a socket is left")
		require.NotContains(t, stack, "rollcall/internal/keepalive.", "a goroutine of a session is left")
	}
	s.subscribers(untouched) // so that it has been asked what node has been asked
	baseLine := goroutines(untouched.stacks())
	require.NotEmpty(t, baseLine)
	for of, count := range goroutines(stacks) {
		// A few may be about something. What is left of clients is left of each of them.
		require.Less(t, count-baseLine[of], n/10, "goroutines left: %s", of)
	}
}

// goroutines counts those of the service by the function that they began with.
func goroutines(stacks []string) map[string]int {
	count := map[string]int{}
	for _, stack := range stacks {
		if _, creator, found := strings.Cut(stack, "created by "); found {
			of, _, _ := strings.Cut(creator, " in goroutine")
			count[of]++
		}
	}
	return count
}

// subscribers are a node's subscribers of presence events.
func (s *service) subscribers(n *node) int {
	s.t.Helper()
	var got struct{ Cluster struct{ Subscribers int } }
	require.NoError(s.t, s.post(s.t.Context(), n.url, admin, `{ cluster { subscribers } }`, nil, &got))
	return got.Cluster.Subscribers
}
