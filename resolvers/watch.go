package resolvers

import (
	"context"
	"errors"
	"sync"
	"time"

	"rollcall/internal/live"
)

// watch is a subscription to what is read again every interval: the source of its
// answers. What was read for one is read for all who ask for the same at that time.
type watch struct {
	readings *readings
	key      string
	read     func(context.Context) (any, error)
	interval time.Duration
	notify   func()
	begun    time.Time

	mu      sync.Mutex
	due     time.Time   // when to read next
	timer   *time.Timer // notifies the transport when it is due
	reading *reading    // that is awaited; nil: none is
	closed  bool
}

var _ live.Source = (*watch)(nil)

var errWatchClosed = errors.New("the subscription is closed")

// startWatch is a watch whose first reading is due at once.
func startWatch(all *readings, key string, interval time.Duration, notify func(), read func(context.Context) (any, error)) *watch {
	now := time.Now()
	return &watch{
		readings: all, key: key, read: read, interval: interval, notify: notify,
		begun: now, due: now, timer: time.AfterFunc(0, notify),
	}
}

// Poll begins to read, if it is time to, and is what has been read.
func (w *watch) Poll() (live.Item, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	switch {
	case w.closed:
		return nil, errWatchClosed
	case w.reading != nil:
	case now.Before(w.due):
		return nil, nil
	default:
		// The interval is counted from now, when the client is there to take an answer, so a
		// slow one is not told twice at once.
		w.due = now.Add(w.interval)
		w.timer.Reset(w.interval)
		since := now.Add(-readingLasts)
		if since.Before(w.begun) {
			since = w.begun
		}
		w.reading = w.readings.begin(w.key, since, w.read, w.notify)
	}
	select {
	case <-w.reading.done:
	default:
		return nil, nil
	}
	r := w.reading
	w.reading = nil
	if r.err != nil {
		return nil, r.err
	}
	return r, nil
}

// Close ends the watch.
func (w *watch) Close() {
	w.mu.Lock()
	w.closed = true
	w.timer.Stop()
	w.mu.Unlock()
	w.notify()
}

// readingLasts is how long a reading is good for others who ask for the same.
const readingLasts = 100 * time.Millisecond

// readings are what was read of late, by key.
type readings struct {
	mu    sync.Mutex
	byKey map[string]*reading
}

// reading is what was read at one time: the item of an answer.
type reading struct {
	live.Memo
	begun   time.Time
	waiting []func() // readings.mu guards it

	done  chan struct{} // closed when value or err is there
	value any
	err   error
}

// begin is a reading that began after a time; notify is called when it is done.
func (all *readings) begin(key string, since time.Time, read func(context.Context) (any, error), notify func()) *reading {
	all.mu.Lock()
	defer all.mu.Unlock()
	r := all.byKey[key]
	if r == nil || r.begun.Before(since) {
		r = &reading{begun: time.Now(), done: make(chan struct{})}
		if all.byKey == nil {
			all.byKey = make(map[string]*reading)
		}
		all.byKey[key] = r
		go all.run(key, r, read)
	}
	r.waiting = append(r.waiting, notify)
	return r
}

func (all *readings) run(key string, r *reading, read func(context.Context) (any, error)) {
	// Nobody's context: it is read for all. What it reads from has its own time limits.
	r.value, r.err = read(context.Background())
	all.mu.Lock()
	close(r.done)
	waiting := r.waiting
	r.waiting = nil
	all.mu.Unlock()
	for _, notify := range waiting {
		notify()
	}
	time.AfterFunc(readingLasts, func() { all.drop(key, r) })
}

func (all *readings) drop(key string, r *reading) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.byKey[key] == r {
		delete(all.byKey, key)
	}
}
