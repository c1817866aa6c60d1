package dataloader

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vikstrous/dataloadgen"
)

const (
	// batch is the most ids of one load.
	batch = 500
	// wait is how long a single id waits for others to go with.
	wait = time.Millisecond
)

// loader loads values by id and remembers them. Ids that are asked for one by
// one gather for a moment; a list of ids is loaded at once. Until it is asked for anything it costs nothing: most
// answers load nothing.
type loader[V any] struct {
	fetch  func(ctx context.Context, ids []string) []result[V]
	single atomic.Pointer[dataloadgen.Loader[string, result[V]]]

	mu     sync.Mutex
	loaded map[string]struct{} // by loadAll
}

// result is a value or why there is none. Errors travel as values since
// dataloadgen remembers no errors of values that are primed.
type result[V any] struct {
	value V
	err   error
}

// one is what gathers single ids, and remembers all values.
func (l *loader[V]) one() *dataloadgen.Loader[string, result[V]] {
	if l.single.Load() == nil {
		l.single.CompareAndSwap(nil, dataloadgen.NewLoader(func(ctx context.Context, ids []string) ([]result[V], []error) {
			return l.fetch(ctx, ids), nil
		}, dataloadgen.WithBatchCapacity(batch), dataloadgen.WithWait(wait)))
	}
	return l.single.Load()
}

func (l *loader[V]) load(ctx context.Context, id string) (V, error) {
	r, err := l.one().Load(ctx, id)
	if err != nil { // fetch has panicked
		return r.value, err
	}
	return r.value, r.err
}

// loadAll returns when all ids are loaded. Two calls with the same ids, for the
// nodes and the edges of a page, load once.
func (l *loader[V]) loadAll(ctx context.Context, ids []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.loaded == nil {
		l.loaded = make(map[string]struct{}, len(ids))
	}
	missing := make([]string, 0, len(ids))
	for _, id := range ids {
		if _, ok := l.loaded[id]; !ok {
			l.loaded[id] = struct{}{}
			missing = append(missing, id)
		}
	}
	for len(missing) > 0 {
		n := min(batch, len(missing))
		for i, r := range l.fetch(ctx, missing[:n]) {
			l.one().Prime(missing[i], r)
		}
		missing = missing[n:]
	}
}

func (l *loader[V]) forget(ids []string) {
	single := l.single.Load()
	if single == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		delete(l.loaded, id)
		single.Clear(id)
	}
}
