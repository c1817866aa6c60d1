package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fleet is devices of as many users, which stay online in the same way.
type fleet struct {
	t     *testing.T
	users []string
	stop  func() // lets them vanish without a word, and waits until they have

	mu       sync.Mutex
	states   map[string]*state
	failures []failure
}

// state is what a device knows of itself.
type state struct {
	session  string
	accepted time.Time // when the last answer came that kept the user online
	leaseEnd time.Time // of that answer, by the store's clock; zero with a socket
	end      string    // REPLACED, ENDED or an error's code, if the session is over
	ended    time.Time
	longest  time.Duration // between two accepted beats
}

// failure is a beat, or an attempt to open a session, that was not accepted.
type failure struct {
	at   time.Time
	user string
	code string
	text string
}

// keeping is how a device keeps its user online until ctx ends or the session does.
// nodes is asked anew whenever it has to choose one.
type keeping func(ctx context.Context, f *fleet, user string, nodes func() []string)

// launch starts n devices and waits until all are online. Users are name-0, name-1 and so on.
func (s *service) launch(name string, n int, keep keeping, nodes func() []string) *fleet {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	f := &fleet{t: s.t, states: map[string]*state{}}
	var running sync.WaitGroup
	f.stop = func() { cancel(); running.Wait() }
	s.t.Cleanup(f.stop)
	for i := range n {
		user := fmt.Sprintf("%s-%d", name, i)
		f.users = append(f.users, user)
		f.states[user] = &state{}
	}
	// Few at a time, so that nobody's first lease ends while others are still signing in.
	const gangs = 32
	for gang := range gangs {
		running.Go(func() {
			for i := gang; i < n && ctx.Err() == nil; i += gangs {
				user := f.users[i]
				running.Go(func() { keep(ctx, f, user, nodes) })
				awaitQuietly(startWithin, func() bool { return f.session(user) != "" || ctx.Err() != nil })
			}
		})
	}
	require.Eventually(s.t, func() bool {
		for _, user := range f.users {
			if f.session(user) == "" {
				return false
			}
		}
		return true
	}, 2*startWithin, tick, "all devices sign in")
	return f
}

func (f *fleet) session(user string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.states[user].session
}

// state is a copy of what a device knows.
func (f *fleet) state(user string) state {
	f.mu.Lock()
	defer f.mu.Unlock()
	return *f.states[user]
}

func (f *fleet) accepted(user, session string, leaseEnd time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, now := f.states[user], time.Now()
	if !s.accepted.IsZero() {
		s.longest = max(s.longest, now.Sub(s.accepted))
	}
	s.session, s.accepted, s.leaseEnd = session, now, leaseEnd
}

func (f *fleet) failed(user string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failures = append(f.failures, failure{time.Now(), user, code(err), err.Error()})
}

func (f *fleet) over(user, how string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.states[user]
	s.end, s.ended = how, time.Now()
}

// final tells whether a device gives up after an error with this code.
func final(code string) bool {
	switch code {
	case "SESSION_REPLACED", "SESSION_ENDED", "BAD_USER_INPUT":
		return true
	}
	return false
}

// backOff is the README's wait before the n-th attempt to reach a node again, for leases
// of this length instead of a minute.
func backOff(n int, ttl time.Duration) time.Duration {
	most := min(30*time.Second, time.Second<<min(n, 5))
	return time.Duration(rand.Float64() * float64(most) * float64(ttl) / float64(time.Minute))
}

// beating sends heartbeats over HTTP.
func (s *service) beating(ctx context.Context, f *fleet, user string, nodes func() []string) {
	const query = `mutation ($input: HeartbeatInput!) { heartbeat(input: $input) { session expiresAt nextHeartbeatInMs } }`
	input := variables{"deviceId": "phone"}
	choice, attempts := rand.Int(), 0
	for {
		urls := nodes()
		var got struct {
			Heartbeat struct {
				Session           string
				ExpiresAt         time.Time
				NextHeartbeatInMs int
			}
		}
		err := s.post(ctx, urls[choice%len(urls)], "dev:"+user, query, variables{"input": input}, &got)
		var wait time.Duration
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			f.accepted(user, got.Heartbeat.Session, got.Heartbeat.ExpiresAt)
			input["session"] = got.Heartbeat.Session
			wait, attempts = time.Duration(got.Heartbeat.NextHeartbeatInMs)*time.Millisecond, 0
		case final(code(err)):
			f.failed(user, err)
			f.over(user, code(err))
			return
		default:
			f.failed(user, err)
			if wait = retryAfter(err); wait == 0 {
				wait = backOff(attempts, s.ttl)
				attempts++
				choice++ // another node
			}
		}
		if !pause(ctx, wait) {
			return
		}
	}
}

// connected holds a `session` subscription, as the README's example does.
func (s *service) connected(ctx context.Context, f *fleet, user string, nodes func() []string) {
	s.holdOn(ctx, f, user, nodes, variables{"deviceId": "laptop"})
}

// hidden does the same in the background.
func (s *service) hidden(ctx context.Context, f *fleet, user string, nodes func() []string) {
	s.holdOn(ctx, f, user, nodes, variables{"deviceId": "laptop", "active": false})
}

func (s *service) holdOn(ctx context.Context, f *fleet, user string, nodes func() []string, input variables) {
	choice := rand.Int()
	for attempts := 0; ; attempts++ {
		urls := nodes()
		err := s.hold(ctx, f, user, urls[(choice+attempts)%len(urls)], input, &attempts)
		if ctx.Err() != nil || err == nil {
			return
		}
		f.failed(user, err)
		if final(code(err)) {
			f.over(user, code(err))
			return
		}
		wait := retryAfter(err)
		if wait == 0 {
			wait = backOff(attempts, s.ttl)
		}
		if !pause(ctx, wait) {
			return
		}
	}
}

// hold keeps one socket until it fails; no error means that the session is over.
func (s *service) hold(ctx context.Context, f *fleet, user, url string, input variables, attempts *int) error {
	const query = `subscription ($input: HeartbeatInput!) { session(input: $input) { type session } }`
	open, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	socket, err := subscribe(open, s.client, url, "dev:"+user, query, variables{"input": input})
	if err != nil {
		return err
	}
	defer socket.drop()
	for {
		var got struct {
			Session struct{ Type, Session string }
		}
		if err := socket.next(ctx, &got); err != nil {
			return err
		}
		if got.Session.Type != "STARTED" {
			f.over(user, got.Session.Type)
			return nil
		}
		*attempts = 0
		input["session"] = got.Session.Session
		f.accepted(user, got.Session.Session, time.Time{})
	}
}
