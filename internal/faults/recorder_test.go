package faults

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// event is a transition as a subscriber is told it.
type event struct {
	Type    string
	UserID  string
	Reason  string
	At      time.Time
	arrived time.Time
	resets  int // that the subscriber was told before
}

// kind is an event's type, with the reason of an OFFLINE.
func (e event) kind() string {
	if e.Reason != "" {
		return e.Type + " " + e.Reason
	}
	return e.Type
}

// recorder subscribes to everything and writes it down. When its socket drops it resumes
// where it was, and when it is told that events may be missing it reads the list
// afresh, as clients should.
type recorder struct {
	service *service
	t       *testing.T

	mu       sync.Mutex
	socket   *socket
	cursor   string
	events   []event
	resets   int
	connects int
	online   map[string]bool // who is online, as far as it was told
	denied   []string        // codes of errors that it was told
}

// record starts a recorder on one of the nodes; it has its place in the log when it returns.
func (s *service) record(nodes func() []string) *recorder {
	s.t.Helper()
	r := &recorder{service: s, t: s.t, online: map[string]bool{}}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { r.run(ctx, nodes) })
	s.t.Cleanup(func() { cancel(); running.Wait() })
	r.await(startWithin, "the recorder's first delta", func() bool { return r.cursor != "" })
	return r
}

func (r *recorder) run(ctx context.Context, nodes func() []string) {
	for attempt := 0; ctx.Err() == nil; attempt++ {
		urls := nodes()
		err := r.follow(ctx, urls[attempt%len(urls)])
		r.mu.Lock()
		r.socket = nil
		if code := code(err); ctx.Err() == nil && code != unreachable {
			r.denied = append(r.denied, code)
		}
		r.mu.Unlock()
		if !pause(ctx, tick) {
			return
		}
	}
}

// follow reads one socket until it ends.
func (r *recorder) follow(ctx context.Context, url string) error {
	const query = `subscription ($since: String) { presenceChanged(since: $since) { cursor reset events { type userId reason at } } }`
	vars := variables{}
	if r.cursor != "" { // only this goroutine changes it
		vars["since"] = r.cursor
	}
	open, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	socket, err := subscribe(open, r.service.client, url, admin, query, vars)
	if err != nil {
		return err
	}
	defer socket.drop()
	r.mu.Lock()
	r.socket = socket
	r.connects++
	r.mu.Unlock()
	for {
		var got struct {
			PresenceChanged struct {
				Cursor string
				Reset  bool
				Events []event
			}
		}
		if err := socket.next(ctx, &got); err != nil {
			return err
		}
		delta := got.PresenceChanged
		if delta.Reset {
			if err := r.readAfresh(ctx, url); err != nil {
				return err // the old cursor leads to the same reset again
			}
		}
		r.take(delta.Cursor, delta.Events)
	}
}

func (r *recorder) readAfresh(ctx context.Context, url string) error {
	users, err := r.service.list(ctx, url)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.resets++
	clear(r.online)
	for _, user := range users {
		r.online[user] = true
	}
	return nil
}

func (r *recorder) take(cursor string, events []event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cursor = cursor
	for _, e := range events {
		e.arrived, e.resets = time.Now(), r.resets
		r.events = append(r.events, e)
		if e.Type == "OFFLINE" {
			delete(r.online, e.UserID)
		} else {
			r.online[e.UserID] = true
		}
	}
}

// drop ends the socket under the recorder, if it has one.
func (r *recorder) drop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.socket != nil {
		r.socket.drop()
	}
}

// await waits until ok of the recorder, which it may look into.
func (r *recorder) await(within time.Duration, what string, ok func() bool) {
	r.t.Helper()
	require.Eventually(r.t, func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return ok()
	}, within, tick, what)
}

// awaitEvents waits until an event of this kind was told of each of the users since the
// n-th event, and returns them by user.
func (r *recorder) awaitEvents(within time.Duration, since int, kind string, users []string) map[string]event {
	r.t.Helper()
	awaited := map[string]bool{}
	for _, user := range users {
		awaited[user] = true
	}
	found := map[string]event{}
	awaitQuietly(within, func() bool {
		told := r.since(since)
		since += len(told)
		for _, e := range told {
			if e.kind() == kind && awaited[e.UserID] {
				found[e.UserID] = e
			}
		}
		return len(found) == len(users)
	})
	for _, user := range users {
		require.NotEmpty(r.t, found[user].Type, "%s was not told to be %s", user, kind)
	}
	return found
}

// since are the events from the n-th on.
func (r *recorder) since(n int) []event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.events[n:])
}

// mark is the number of events so far.
func (r *recorder) mark() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.events)
}

// resetsSoFar is how often it was told that events may be missing.
func (r *recorder) resetsSoFar() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.resets
}

// connections is how often it has subscribed.
func (r *recorder) connections() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.connects
}
