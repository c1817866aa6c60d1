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

	mu     sync.Mutex
	due    time.Time // when to read next
	begun  time.Time
	timer  *time.Timer // notifies the transport when it is due
	closed bool
}

var _ live.Source = (*watch)(nil)

var errWatchClosed = errors.New("the subscription is closed")

// startWatch is a watch whose first reading is due at once.
func startWatch(all *readings, key string, interval time.Duration, notify func(), read func(context.Context) (any, error)) *watch {
	now := time.Now()
	return &watch{
		readings: all, key: key, read: read, interval: interval,
		begun: now, due: now, timer: time.AfterFunc(0, notify),
	}
}

// Poll reads, if it is time to.
func (w *watch) Poll() (live.Item, error) {
	w.mu.Lock()
	now := time.Now()
	switch {
	case w.closed:
		w.mu.Unlock()
		return nil, errWatchClosed
	case now.Before(w.due):
		w.mu.Unlock()
		return nil, nil
	}
	// The interval is counted from now, when the client is there to take an answer, so a
	// slow one is not told twice at once.
	w.due = now.Add(w.interval)
	w.timer.Reset(w.interval)
	w.mu.Unlock()
	since := now.Add(-readingLasts)
	if since.Before(w.begun) {
		since = w.begun
	}
	return w.readings.get(w.key, since, w.read)
}

// Close ends the watch.
func (w *watch) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.timer.Stop()
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
	begun time.Time
	done  chan struct{} // closed when value or err is there
	value any
	err   error
}

// get is what read reads, or has read for another one since a time.
func (all *readings) get(key string, since time.Time, read func(context.Context) (any, error)) (live.Item, error) {
	all.mu.Lock()
	r := all.byKey[key]
	if r == nil || r.begun.Before(since) {
		r = &reading{begun: time.Now(), done: make(chan struct{})}
		if all.byKey == nil {
			all.byKey = make(map[string]*reading)
		}
		all.byKey[key] = r
		all.mu.Unlock()
		// Nobody's context: it is read for all. What it reads from has its own time limits.
		r.value, r.err = read(context.Background())
		close(r.done)
		time.AfterFunc(readingLasts, func() { all.drop(key, r) })
	} else {
		all.mu.Unlock()
		<-r.done
	}
	if r.err != nil {
		return nil, r.err
	}
	return r, nil
}

func (all *readings) drop(key string, r *reading) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.byKey[key] == r {
		delete(all.byKey, key)
	}
}
