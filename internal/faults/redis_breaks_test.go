package faults

import (
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"rollcall/internal/redistest"
)

// back is how long after the end of an outage of Redis beats may fail.
const back = 10 * time.Second

// underLoad is a service of two nodes with devices of both kinds, and a recorder on each
// node.
type underLoad struct {
	*service
	redis          *redistest.Server // nil if it has another layout
	beats, sockets *fleet
	recorders      []*recorder
	size           string
}

// startUnderLoad has a Redis of its own, started with these arguments.
func startUnderLoad(t *testing.T, args ...string) *underLoad {
	t.Helper()
	redis := redistest.Start(t, args...)
	u := startUnderLoadOn(t, redis.URL())
	u.redis = redis
	return u
}

// startUnderLoadOn works on any layout of Redis.
func startUnderLoadOn(t *testing.T, redisURL string) *underLoad {
	t.Helper()
	return startUnderLoadFor(t, redisURL, sized(2*time.Second, 4*time.Second))
}

func startUnderLoadFor(t *testing.T, redisURL string, ttl time.Duration) *underLoad {
	t.Helper()
	n := sized(60, 500)
	u := &underLoad{service: newService(t, redisURL, ttl)}
	a, b := u.start(), u.start()
	u.recorders = []*recorder{u.record(a.only), u.record(b.only)}
	u.settle()
	u.beats = u.launch("beats", n, u.beating, u.urls)
	u.sockets = u.launch("socket", n, u.connected, u.urls)
	u.size = fmt.Sprintf("%d users", 2*n)
	for _, r := range u.recorders { // what Redis loses before it is told is told as reset, not as lost
		r.await(elsewhere, "everybody is told", func() bool { return len(r.online) == 2*n })
	}
	return u
}

func (u *underLoad) online() history {
	h := history{}
	h.happened(u.beats.users, cameOnline)
	h.happened(u.sockets.users, cameOnline)
	return h
}

// requireComplete waits until both recorders hold everybody for online, and tells how
// long after since that was.
func (u *underLoad) requireComplete(since time.Time, within time.Duration) time.Duration {
	u.t.Helper()
	for _, r := range u.recorders {
		r.await(within, "the list is complete", func() bool { return r.resets > 0 && len(r.online) == len(u.online()) })
	}
	return time.Since(since)
}

// aBeat is how long it takes at most until each device has beaten: 0.4 of a lease with
// its jitter, and a second for the busy machine.
func (u *underLoad) aBeat() time.Duration { return u.ttl*44/100 + time.Second }

func TestRedisIsFlushed(t *testing.T) {
	t.Parallel()
	u := startUnderLoad(t)
	flushed := time.Now()
	require.NoError(t, u.redis.Client().FlushAll(t.Context()).Err())
	complete := u.requireComplete(flushed, u.aBeat())
	u.awaitGrace(flushed)
	u.beats.requireNoFailure()
	u.sockets.requireNoFailure()
	var a account
	for _, r := range u.recorders {
		a = r.requireReset(u.online())
	}
	suite.table.add(row{"03", "FLUSHALL", u.size, complete, "the list was complete", a})
}

func TestRedisIsRestartedEmpty(t *testing.T) {
	t.Parallel()
	u := startUnderLoad(t)
	last, restarted := u.restart()
	u.requireComplete(restarted, back)
	var a account
	for _, r := range u.recorders {
		a = r.requireReset(u.online())
	}
	suite.table.add(row{"04", "Redis is killed and restarted, empty", u.size, last, "the last beat that failed", a})
}

func TestRedisIsRestartedWithItsData(t *testing.T) {
	t.Parallel()
	u := startUnderLoad(t, "--appendonly", "yes", "--appendfsync", "always")
	last, _ := u.restart()
	var a account
	for _, r := range u.recorders {
		a = r.requireHistory(u.online())
	}
	suite.table.add(row{"05", "Redis is killed and restarted, with its data", u.size, last, "the last beat that failed", a})
}

// restart kills Redis and starts it again a TTL later, when all leases are over. It returns, once grace is over,
// how long after that a beat failed last.
func (u *underLoad) restart() (last time.Duration, restarted time.Time) {
	u.t.Helper()
	u.redis.Stop()
	pass(u.t, u.ttl)
	u.redis.Restart()
	restarted = time.Now()
	u.beats.awaitBeats(restarted, back)
	u.awaitGrace(restarted)
	last = u.beats.lastFailure(restarted)
	require.Less(u.t, last, back)
	u.requireOnlyUnavailable()
	return last, restarted
}

func TestRedisHangs(t *testing.T) {
	t.Parallel()
	u := startUnderLoad(t)
	// In the short form 5 s are more than 2 TTL.
	for _, d := range sized([]time.Duration{5 * time.Second}, []time.Duration{5 * time.Second, 2 * u.ttl}) {
		u.redis.Pause()
		pass(t, d)
		resumed := time.Now()
		u.redis.Resume()
		u.beats.awaitBeats(resumed, back)
		u.awaitGrace(resumed)
		last := u.beats.lastFailure(resumed)
		require.Less(t, last, back)
		u.requireOnlyUnavailable()
		var a account
		for _, r := range u.recorders {
			a = r.requireHistory(u.online())
		}
		suite.table.add(row{"06", fmt.Sprintf("Redis hangs for %v", d), u.size, last, "the last beat that failed", a})
	}
}

// awaitGrace waits until whoever was lost at since has been expired.
func (u *underLoad) awaitGrace(since time.Time) {
	u.t.Helper()
	u.beats.awaitBeats(since.Add(u.ttl+expiredWithin), back+3*u.ttl)
}

// requireOnlyUnavailable fails if a device was told anything but to try again, or if no
// device has noticed the fault.
func (u *underLoad) requireOnlyUnavailable() {
	u.t.Helper()
	u.beats.requireAlive()
	u.sockets.requireAlive()
	u.sockets.requireNoFailure()
	require.Equal(u.t, []string{"UNAVAILABLE"}, u.beats.codes())
}

func TestScriptsAreFlushed(t *testing.T) {
	t.Parallel()
	redis := redistest.Start(t)
	flushScripts(t, redis.URL(), "SCRIPT FLUSH ten times a second", redis)
}

func TestScriptsAreFlushedOnEveryServer(t *testing.T) {
	t.Parallel()
	cluster := redistest.StartCluster(t, 3, 0)
	flushScripts(t, cluster.URL(), "SCRIPT FLUSH ten times a second on all primaries of a Cluster", cluster.Nodes...)
}

// flushScripts lets the servers forget all scripts again and again, while all that needs
// one is asked for.
func flushScripts(t *testing.T, url, fault string, servers ...*redistest.Server) {
	t.Helper()
	u := startUnderLoadOn(t, url)
	// Few, so that each is sent home long before their lease ends.
	c := u.churn(sized(20, 100), sized(100, 500), u.urls)
	var clients []*redis.Client
	for _, server := range servers {
		clients = append(clients, server.Client())
	}
	began := time.Now()
	for reads := 0; time.Since(began) < sized(3*time.Second, 20*time.Second); reads++ {
		for _, client := range clients {
			require.NoError(t, client.ScriptFlush(t.Context()).Err())
		}
		const query = `{ onlineCount onlineUsers { totalCount nodes { presence { status } } }
			presence(userIds: ["beats-0"]) { status } cluster { online } }`
		var data any
		require.NoError(t, u.post(t.Context(), u.urls()[reads%2], admin, query, nil, &data))
		pass(t, 100*time.Millisecond)
	}
	c.end()
	u.beats.requireNoFailure()
	u.sockets.requireNoFailure()
	want := u.online()
	for user, kinds := range c.happened {
		want.happened([]string{user}, kinds...)
	}
	var a account
	for _, r := range u.recorders {
		a = r.requireHistory(want)
	}
	suite.table.add(row{"07", fault, u.size + fmt.Sprintf(", %d moves", c.moves), 0, "no error", a})
}
