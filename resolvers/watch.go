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
	defer w.mu.Unlock()
	w.closed = true
	w.timer.Stop()
}
