package directory

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"time"

	"github.com/maypok86/otter/v2"

	"rollcall/internal/backoff"
	"rollcall/internal/users"
)

const (
	// sourceRestFor is how long the source is left alone after it has let a load
	// wait for nothing. Without it an unresponsive database would cost every page
	// and every sign-in all the time that they have.
	sourceRestFor = 500 * time.Millisecond
	// fairTime is how long the source is given before it counts as unresponsive,
	// even where the caller had no more patience: less than a sign-in has.
	fairTime = 300 * time.Millisecond
)

// load is one call of Directory.Load on its way below the local cache. It
// keeps the first error, for its caller; loads that joined it see only that
// ids are absent.
type load struct {
	directory *Directory
	err       error
}

var _ otter.BulkLoader[string, Entry] = (*load)(nil)

func (l *load) fail(err error) {
	if l.err == nil {
		l.err = err
	}
}

// BulkLoad reads ids that are not in the local cache. What could be read is
// returned without an error even if the rest failed, so that it is cached.
func (l *load) BulkLoad(ctx context.Context, ids []string) (map[string]Entry, error) {
	entries, err := l.directory.fetch(ctx, ids, l.err)
	if err == nil {
		return entries, nil
	}
	l.fail(err)
	if ctx.Err() != nil {
		// It is our caller who gave up, so those who joined must not fail for
		// it: on an error with our context ended, they load for themselves.
		return nil, err
	}
	return entries, nil
}

// BulkReload is for caches that refresh entries in the background, as ours
// does not.
func (l *load) BulkReload(ctx context.Context, ids []string, _ []Entry) (map[string]Entry, error) {
	return l.BulkLoad(ctx, ids)
}

// fetch reads distinct ids from the tier and what is missing there from the
// source, unless that failed this caller before.
func (d *Directory) fetch(ctx context.Context, ids []string, failed error) (map[string]Entry, error) {
	if !d.tierUsable() {
		return d.fromSource(ctx, ids, failed)
	}
	entries, stale, err := d.tierGet(ctx, ids)
	if err != nil {
		return d.fromSource(ctx, ids, failed)
	}
	missing := without(ids, entries)
	if len(missing) > len(stale) && failed == nil {
		// Stale ids alone are not worth a lock: the holder could not hand us
		// its result, since it may not add it.
		unlock := d.awaitTurn(ctx, missing, entries)
		defer unlock()
		missing = without(missing, entries)
	}
	if len(missing) == 0 {
		return entries, nil
	}

	start := time.Now()
	loaded, err := d.fromSource(ctx, missing, failed)
	if time.Since(start) < d.opt.StaleFor/2 {
		d.tierAdd(ctx, loaded)
	}
	maps.Copy(entries, loaded)
	return entries, err
}

func without(ids []string, entries map[string]Entry) []string {
	var rest []string
	for _, id := range ids {
		if _, ok := entries[id]; !ok {
			rest = append(rest, id)
		}
	}
	return rest
}

// fromSource reads ids from the source. Ids it does not know are entries too;
// after an error only those that were read are.
func (d *Directory) fromSource(ctx context.Context, ids []string, failed error) (map[string]Entry, error) {
	if errors.Is(failed, users.ErrUnavailable) {
		return nil, failed
	}
	if d.sourceRest.on(d.opt.Now()) {
		return nil, fmt.Errorf("%w: the source did not answer a moment ago", users.ErrUnavailable)
	}
	began := d.opt.Now()
	found, err := d.source.Load(ctx, ids)
	d.judgeSource(ctx, err, began)
	entries := make(map[string]Entry, len(ids))
	for _, id := range ids {
		if u, known := found[id]; known {
			entries[id] = Entry{Details: u, Known: true, TTL: d.opt.LocalTTL}
		} else if err == nil {
			entries[id] = Entry{TTL: d.opt.NegativeTTL}
		}
	}
	return entries, err
}

// judgeSource draws the conclusions from a call to the source that began then. A
// hasty caller's end says nothing of it, nor does a call that waited while others were
// answered: it stood in a queue.
func (d *Directory) judgeSource(ctx context.Context, err error, began time.Time) {
	now := d.opt.Now()
	if err == nil {
		d.sourceAnswered.Store(now.UnixNano())
		d.sourceOutage.succeeded(now)
		return
	}
	gaveUp := ctx.Err() != nil
	if gaveUp && (now.Sub(began) < fairTime || d.sourceAnswered.Load() > began.UnixNano()) {
		return
	}
	if gaveUp || errors.Is(err, context.DeadlineExceeded) {
		d.sourceRest.begin(d.opt.Now(), sourceRestFor)
	}
	d.sourceOutage.failed(ctx, d.opt.Now(), err)
}

// awaitTurn takes the lock of this set of ids, or waits until the node that
// has it has put them in the tier, or gives up after LockWait. It adds to
// entries what it finds in the tier.
func (d *Directory) awaitTurn(ctx context.Context, ids []string, entries map[string]Entry) (unlock func()) {
	nothing := func() {}
	deadline := time.Now().Add(d.opt.LockWait)
	for {
		unlock, locked, err := d.tierTryLock(ctx, ids)
		if err != nil {
			return nothing
		}
		if !locked {
			unlock = nothing
			backoff.Sleep(ctx, 10*time.Millisecond+rand.N(15*time.Millisecond))
		}
		// With the lock too: its last holder may have loaded them.
		found, _, err := d.tierGet(ctx, ids)
		maps.Copy(entries, found)
		ids = without(ids, entries)
		done := len(ids) == 0 || err != nil || ctx.Err() != nil || time.Now().After(deadline)
		if locked || done {
			return unlock
		}
	}
}
