package suite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"rollcall/bench/figure"
	"rollcall/bench/load"
	"rollcall/bench/process"
	"rollcall/bench/socket"
	"rollcall/internal/presence"
)

const (
	// transitionsPerSecond is how many users come online in a second; as many go.
	transitionsPerSecond = 1_000
	// shortLease is how long they stay.
	shortLease = 2 * time.Second
	// lastWait is how long the last of them may take to be told as gone.
	lastWait = 15 * time.Second
)

// transitions measures how long after a heartbeat, and after the end of a lease, a subscriber is
// told. Each user comes online once and goes when the lease is over.
func transitions(ctx context.Context, r *Run) error {
	redis, err := process.StartRedis(ctx, r.Dir, "redis")
	if err != nil {
		return err
	}
	defer redis.Stop()
	server, err := r.rollcall(ctx, redis, presence.Rules{TTL: shortLease, BackgroundTTL: shortLease, AwayAfter: long})
	if err != nil {
		return err
	}
	defer server.Stop()
	// Each connection is tried once before the time begins, and sends one more at most when it ends.
	w := newWitness((int(transitionsPerSecond*r.Sizes.Span.Seconds()) + 2*beating) * (r.Sizes.Repetitions + 1))
	group, err := socket.Subscribe(ctx, server.Addr, 1, w.told)
	if err != nil {
		return err
	}
	got, err := r.alternate(ctx, contender{"rollcall", func(ctx context.Context) (map[metric]float64, error) {
		return w.measure(ctx, r, server, group)
	}})
	told := socket.Numbered(0, w.next).Plus(socket.Numbered(0, w.next)) // ONLINE and OFFLINE
	if lost := group.Close(told); err == nil {
		err = lost
	}
	if err != nil {
		return err
	}
	soon, late := figure.AtMost(50), figure.AtMost(1000)
	ours := got["rollcall"]
	what := fmt.Sprintf("%d users a second come, as many go; ", transitionsPerSecond)
	r.Table.Figure(9, what+"heartbeat to ONLINE at a subscriber, p50 ms", ours[p50], nil)
	r.Table.Figure(9, what+"heartbeat to ONLINE at a subscriber, p99 ms", ours[p99], &soon)
	r.Table.Figure(10, what+"end of the lease to OFFLINE at a subscriber, p50 ms", ours[offlineP50], nil)
	r.Table.Figure(10, what+"end of the lease to OFFLINE at a subscriber, p99 ms", ours[offlineP99], &late)
	return nil
}

// witness knows when each user was to come and to go, and when the subscriber was told.
type witness struct {
	due, end []atomic.Int64 // µs of the Unix epoch, by the user's number
	next     int            // number of the next user

	mu              sync.Mutex
	online, offline *hdrhistogram.Histogram // since the repetition began
	gone            int
	wrong           error
}

func newWitness(most int) *witness {
	return &witness{due: make([]atomic.Int64, most), end: make([]atomic.Int64, most)}
}

func (w *witness) told(t socket.Told) {
	now := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	h, since := w.online, &w.due[t.Event]
	if t.Offline {
		w.gone++
		h, since = w.offline, &w.end[t.Event]
	}
	late := now.UnixMicro() - since.Load()
	if late < 0 {
		w.wrong = fmt.Errorf("user %d: told %d µs before its time", t.Event, -late)
	}
	if err := h.RecordValue(late); err != nil {
		w.wrong = err
	}
}

func (w *witness) measure(ctx context.Context, r *Run, server *process.Child, g *socket.Group) (map[metric]float64, error) {
	w.mu.Lock()
	w.online, w.offline, w.gone = load.NewHistogram(), load.NewHistogram(), 0
	w.mu.Unlock()
	first := w.next
	signIns, err := load.Connect(ctx, server.Addr, beating, func(int) load.Source { return &signIns{witness: w, addr: server.Addr} })
	if err != nil {
		return nil, err
	}
	defer signIns.Close()
	if _, err := signIns.Steady(ctx, r.Sizes.Span, transitionsPerSecond); err != nil {
		return nil, err
	}
	if err := w.awaitGone(ctx, g, w.next-first); err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return map[metric]float64{
		p50: inMs(w.online.ValueAtQuantile(50)), p99: inMs(w.online.ValueAtQuantile(99)),
		offlineP50: inMs(w.offline.ValueAtQuantile(50)), offlineP99: inMs(w.offline.ValueAtQuantile(99)),
	}, w.wrong
}

// awaitGone waits until so many users have been told as gone.
func (w *witness) awaitGone(ctx context.Context, g *socket.Group, users int) error {
	ctx, cancel := context.WithTimeout(ctx, lastWait)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		w.mu.Lock()
		gone := w.gone
		w.mu.Unlock()
		if gone >= users {
			return nil
		}
		select {
		case <-tick.C:
		case <-g.Broken():
			return g.Err()
		case <-ctx.Done():
			return fmt.Errorf("%d of %d users were told as gone: %w", gone, users, ctx.Err())
		}
	}
}

// begin is the number of a user who is to come online now.
func (w *witness) begin(due time.Time) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.next == len(w.due) {
		return 0, errors.New("more users than were to come")
	}
	i := w.next
	w.next++
	w.due[i].Store(due.UnixMicro())
	return i, nil
}

// signIns is users who come online over one connection, each once.
type signIns struct {
	witness *witness
	addr    string
	user    int
}

var _ load.Source = (*signIns)(nil)

// Next implements [load.Source].
func (s *signIns) Next(due time.Time) ([]byte, error) {
	user, err := s.witness.begin(due)
	if err != nil {
		return nil, err
	}
	s.user = user
	return request(s.addr, "dev:"+socket.UserID(user), heartbeatQuery, map[string]any{"input": beatInput{DeviceID: device(user)}})
}

// Check implements [load.Source].
func (s *signIns) Check(body []byte) error {
	var answer struct {
		Data struct {
			Heartbeat struct {
				Outcome   presence.Outcome
				ExpiresAt time.Time
			}
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return err
	}
	beat := answer.Data.Heartbeat
	if beat.Outcome != presence.SignedIn || bytes.Contains(body, []byte(`"errors"`)) {
		return errAnswer
	}
	s.witness.end[s.user].Store(beat.ExpiresAt.UnixMicro())
	return nil
}
