package resolvers

import (
	"context"
	"sync"
	"time"

	"rollcall/internal/live"
)

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
