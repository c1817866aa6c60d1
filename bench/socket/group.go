package socket

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
)

// Query is what all subscribers ask.
const Query = `subscription { presenceChanged { cursor reset events { type userId at presence { status lastActiveAt } } } }`

// UserPrefix begins the ids of the users who are told of; the number behind it is the
// event's, by which it is checked that each subscriber is told each event once.
const UserPrefix = "t"

// UserID is the user of an event.
func UserID(event int) string { return UserPrefix + strconv.Itoa(event) }

// userIDField is how an event's user comes, offlineType what comes right before if the user has gone.
const (
	userIDField = `"userId":"` + UserPrefix
	offlineType = `"type":"OFFLINE",`
)

// connecting is how many subscribers connect at a time.
const connecting = 32

// Group is subscribers of one server.
type Group struct {
	subscribers []*subscriber
	running     sync.WaitGroup
	frames      atomic.Int64
	bytes       atomic.Int64
	// told is called for each event that anybody is told.
	told func(Told)

	mu     sync.Mutex
	failed error
	ended  bool
	broken chan struct{} // closed with failed
}

// subscriber is one of a group. What it counts is its own until it has ended.
type subscriber struct {
	conn *conn
	told Count
}

// Told is an event as a subscriber is told it.
type Told struct {
	Event   int // its number
	Offline bool
}

// Count is how many events there were, and the sum of their numbers.
type Count struct{ Events, Sum int }

// Numbered is the count of n events with numbers from first on.
func Numbered(first, n int) Count { return Count{n, n*first + n*(n-1)/2} }

// Plus is the count of these events and others.
func (c Count) Plus(others Count) Count {
	return Count{c.Events + others.Events, c.Sum + others.Sum}
}

// Subscribe connects so many subscribers, and returns when all have had their first
// delta. told is called by many at a time.
func Subscribe(ctx context.Context, addr string, n int, told func(Told)) (*Group, error) {
	g := &Group{told: told, broken: make(chan struct{})}
	slots := make(chan struct{}, connecting)
	subscribers := make([]*subscriber, n)
	for i := range n {
		slots <- struct{}{}
		g.running.Go(func() {
			s, err := join(ctx, addr, "dev:watcher-"+strconv.Itoa(i))
			<-slots
			if err != nil {
				g.fail(fmt.Errorf("subscriber %d: %w", i, err))
				return
			}
			subscribers[i] = s
		})
	}
	g.running.Wait()
	for _, s := range subscribers {
		if s != nil {
			g.subscribers = append(g.subscribers, s)
		}
	}
	if err := g.Err(); err != nil {
		g.drop()
		return nil, err
	}
	for i, s := range g.subscribers {
		g.running.Go(func() {
			g.fail(fmt.Errorf("subscriber %d: %w", i, g.listen(s)))
		})
	}
	return g, nil
}

func join(ctx context.Context, addr, token string) (*subscriber, error) {
	c, err := dial(ctx, addr)
	if err != nil {
		return nil, err
	}
	if err := c.subscribe(token, Query); err != nil {
		c.drop()
		return nil, err
	}
	first, err := c.receive()
	if err == nil && !bytes.Contains(first, []byte(`"next"`)) {
		err = fmt.Errorf("no first delta but %s", first)
	}
	if err != nil {
		c.drop()
		return nil, err
	}
	return &subscriber{conn: c}, nil
}

// listen takes what the subscriber is told, until something is wrong or the connection ends.
func (g *Group) listen(s *subscriber) error {
	for {
		message, err := s.conn.receive()
		if err != nil {
			return err
		}
		if err := g.note(s, message); err != nil {
			return err
		}
	}
}

// note takes the events out of a message.
func (g *Group) note(s *subscriber, message []byte) error {
	g.frames.Add(1)
	g.bytes.Add(int64(len(message)))
	rest, found := message, 0
	for {
		at := bytes.Index(rest, []byte(userIDField))
		if at < 0 {
			break
		}
		offline := bytes.HasSuffix(rest[:at], []byte(offlineType))
		rest = rest[at+len(userIDField):]
		event := 0
		for len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9' {
			event, rest = event*10+int(rest[0]-'0'), rest[1:]
		}
		s.told = s.told.Plus(Count{1, event})
		found++
		g.told(Told{event, offline})
	}
	if found == 0 || bytes.Contains(message, []byte(`"reset":true`)) {
		return fmt.Errorf("unexpected: %.500s", message)
	}
	return nil
}

func (g *Group) fail(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.failed == nil && !g.ended {
		g.failed = err
		close(g.broken)
	}
}

// Err is what went wrong first.
func (g *Group) Err() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.failed
}

// Broken is closed when something went wrong.
func (g *Group) Broken() <-chan struct{} { return g.broken }

// Frames is how many messages with events all subscribers have had, and their bytes.
func (g *Group) Frames() (frames, bytes int64) { return g.frames.Load(), g.bytes.Load() }

// Close disconnects everybody. An error says that somebody was not told exactly
// these events.
func (g *Group) Close(want Count) error {
	err := g.Err()
	g.drop()
	for i, s := range g.subscribers {
		if err == nil && s.told != want {
			err = fmt.Errorf("subscriber %d was told %+v, which should be %+v", i, s.told, want)
		}
	}
	return err
}

func (g *Group) drop() {
	g.mu.Lock()
	g.ended = true
	g.mu.Unlock()
	for _, s := range g.subscribers {
		s.conn.drop()
	}
	g.running.Wait()
}
