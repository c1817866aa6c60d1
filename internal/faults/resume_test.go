package faults

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/redistest"
)

func TestSubscribersResume(t *testing.T) {
	t.Parallel()
	s := newService(t, redistest.Start(t).URL(), time.Minute)
	s.env = append(s.env, "ROLLCALL_EVENT_LOG=100000")
	s.start()
	s.start()
	recorders := make([]*recorder, 5)
	for i := range recorders {
		recorders[i] = s.record(s.urls)
	}
	c := s.churn(sized(200, 1000), sized(200, 1000), s.urls)
	drops := sized(20, 100)
	var latest time.Duration
	for range drops {
		for _, r := range recorders {
			pass(t, time.Duration(rand.Int64N(int64(30*time.Millisecond))))
			latest = max(latest, r.resume())
		}
	}
	c.end()
	want := c.happened
	total := 0
	for _, kinds := range want {
		total += len(kinds)
	}
	var a account
	for _, r := range recorders {
		awaitQuietly(back, func() bool { return r.mark() >= total })
		a = r.requireHistory(want)
		require.Empty(t, r.denied)
	}
	suite.table.add(row{
		"10", fmt.Sprintf("the sockets of 5 subscribers are dropped %d times each", drops), fmt.Sprintf("%d moves", c.moves),
		latest, "it had resumed, at most", a,
	})
}

// resume drops the recorder's socket, waits until it has another one, and tells how long
// that took.
func (r *recorder) resume() time.Duration {
	r.t.Helper()
	connects := r.connections()
	dropped := time.Now()
	r.drop()
	r.await(back, "the recorder is back", func() bool { return r.connects > connects })
	return time.Since(dropped)
}
