package faults

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/redistest"
)

// expiredWithin is how long after the end of a lease OFFLINE must have been recorded.
const expiredWithin = time.Second

func TestANodeIsKilled(t *testing.T) {
	t.Parallel()
	n := sized(60, 500)
	s := newService(t, redistest.Start(t).URL(), sized(2*time.Second, 4*time.Second))
	doomed, other := s.start(), s.start()
	r := s.record(other.only)
	s.settle()
	beats := s.launch("beats", n, s.beating, doomed.only)
	sockets := s.launch("socket", n, s.connected, doomed.only)
	others := s.launch("other", n, s.connected, other.only)

	killed := time.Now()
	doomed.kill()
	s.forget(doomed)
	beats.stop()
	sockets.stop()
	gone := r.awaitEvents(2*s.ttl+5*time.Second, 0, expired, beats.users)
	var latest time.Duration
	for user, e := range gone {
		end := beats.state(user).leaseEnd
		require.False(t, e.At.Before(end), "%s was expired %v before the lease's end", user, end.Sub(e.At))
		latest = max(latest, e.At.Sub(end))
	}
	require.LessOrEqual(t, latest, expiredWithin)
	gone = r.awaitEvents(2*s.ttl+5*time.Second, 0, expired, sockets.users)
	for user, e := range gone {
		// A pong every 0.4 of the lease has extended it, unless the machine was too busy for short leases.
		least := sized(-s.ttl, s.ttl/2)
		require.WithinRange(t, e.At, killed.Add(least), killed.Add(s.ttl+expiredWithin), user)
	}

	s.start("ROLLCALL_HTTP_ADDR=" + strings.TrimPrefix(doomed.url, "http://")) // of the same name, and inherits nothing
	others.requireNoFailure()
	want := history{}
	want.happened(beats.users, cameOnline, expired)
	want.happened(sockets.users, cameOnline, expired)
	want.happened(others.users, cameOnline)
	suite.table.add(row{
		"01", "an API node is killed", fmt.Sprintf("%d users on it, %d elsewhere", 2*n, n),
		latest, "the last OFFLINE after its lease's end", r.requireHistory(want),
	})
}

func TestAllNodesAreKilled(t *testing.T) {
	t.Parallel()
	n := sized(60, 500)
	s := newService(t, redistest.Start(t).URL(), sized(2*time.Second, 4*time.Second))
	first, second := s.start(), s.start()
	r := s.record(s.urls)
	s.settle()
	lost := s.launch("lost", n, s.connected, s.urls)
	back := s.launch("back", n, s.beating, s.urls)
	backToo := s.launch("socket", n, s.connected, s.urls)

	first.kill()
	second.kill()
	lost.stop()
	pass(t, 3*s.ttl)
	began := time.Now()
	s.start()
	s.forget(first)
	s.forget(second)
	ready := time.Now()
	gone := r.awaitEvents(2*s.ttl+5*time.Second, 0, expired, lost.users)
	for user, e := range gone {
		require.WithinRange(t, e.At, began.Add(s.ttl), ready.Add(s.ttl+expiredWithin), user)
	}
	back.awaitBeats(began, s.ttl)
	back.requireAlive()
	backToo.requireAlive()
	want := history{}
	want.happened(lost.users, cameOnline, expired)
	want.happened(back.users, cameOnline)
	want.happened(backToo.users, cameOnline)
	suite.table.add(row{
		"02", "all API nodes are killed, one starts 3 TTL later", fmt.Sprintf("%d users, of whom %d come back", 3*n, 2*n),
		back.lastFailure(ready), "the last beat that failed after the node was ready", r.requireHistory(want),
	})
}
