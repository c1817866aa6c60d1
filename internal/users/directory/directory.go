// Package directory answers who a user is, from a cache in the process, then
// one that the nodes share, then the source.
//
// A load misses its way down the tiers and fills them on the way back:
//
//	local (30 s)  →  shared Tier (1 h, optional)  →  users.Source
//
// One user is loaded by one call at a time in the process, and where there is
// a Tier the same set of users is loaded by one node at a time. Unknown ids are
// remembered too, so that they can't be used to reach the source.
//
// # Dropping
//
// Refresh, and a change told by the source, must win over loads that began
// before them and still carry the old row. In the process the local cache
// refuses the result of a load whose key was dropped meanwhile, and the load is
// repeated. In the Tier a dropped user is not deleted but marked stale for some
// seconds; readers take the mark for a miss, and as loaders only ever add, the
// late one can't overwrite it.
//
// # Failure
//
// The Tier is only ever a help: each call to it has a small budget, and after a
// failure it is left alone for a moment. A failing source costs the users that
// were not cached, and the answer says so by an error beside the rest. One that
// lets its callers wait is left alone for a moment as well. Outages are logged
// here, a line where one begins and one where it ends; callers need not.
package directory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"rollcall/internal/users"
)

// Options are the directory's surroundings and times; zero values mean the
// defaults named here.
type Options struct {
	// Tier is the cache that the nodes share; nil with a single node.
	Tier Tier
	// Changes tells of changes made to the source by others; may be nil.
	Changes Changes
	// Logger takes the outages of the tiers and the source; nil: nowhere.
	Logger *slog.Logger

	// LocalSize bounds the users cached in the process: 100,000.
	LocalSize int
	// LocalTTL is how long the process may answer from its memory: 30 s.
	LocalTTL time.Duration
	// SharedTTL is how long the Tier keeps a user: 1 h, spread by ±10 % so that
	// what was loaded together does not expire together.
	SharedTTL time.Duration
	// NegativeTTL is how long an id stays unknown, over all tiers: 60 s.
	NegativeTTL time.Duration
	// StaleFor is how long a dropped user is not added to the Tier: 5 s. A
	// load that takes longer than half of it is not added at all.
	StaleFor time.Duration
	// TierBudget bounds each call to the Tier within a load: 100 ms.
	TierBudget time.Duration
	// LockWait bounds the wait for another node that loads the same users:
	// 300 ms.
	LockWait time.Duration

	// Now is time.Now, replaced in tests. It times the local cache.
	Now func() time.Time
}

// Directory reads user details through the tiers.
type Directory struct {
	source users.Source
	opt    Options
	// local is replaced as a whole to drop everything in it, since loads that
	// are in flight then end up in the old one.
	local atomic.Pointer[localCache]

	tierRest, sourceRest     rest
	tierOutage, sourceOutage outage
	sourceAnswered           atomic.Int64 // when the source last did, in Unix nanoseconds
	unmarked                 unmarked
}

// New makes a directory over source. It is ready for Load; Run keeps it
// informed of drops by other nodes and of changes at the source.
func New(source users.Source, opt Options) (*Directory, error) {
	opt.LocalSize = cmp.Or(opt.LocalSize, 100_000)
	opt.LocalTTL = cmp.Or(opt.LocalTTL, 30*time.Second)
	opt.SharedTTL = cmp.Or(opt.SharedTTL, time.Hour)
	opt.NegativeTTL = cmp.Or(opt.NegativeTTL, time.Minute)
	opt.StaleFor = cmp.Or(opt.StaleFor, 5*time.Second)
	opt.TierBudget = cmp.Or(opt.TierBudget, 100*time.Millisecond)
	opt.LockWait = cmp.Or(opt.LockWait, 300*time.Millisecond)
	if opt.Logger == nil {
		opt.Logger = slog.New(slog.DiscardHandler)
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	d := &Directory{
		source: source, opt: opt,
		tierOutage:   outage{part: "shared cache", log: opt.Logger},
		sourceOutage: outage{part: "source", log: opt.Logger},
	}
	local, err := newLocal(opt.LocalSize, opt.Now)
	if err != nil {
		return nil, fmt.Errorf("user directory: %w", err)
	}
	d.local.Store(local)
	return d, nil
}

// Load returns the details of any number of ids. Unknown ids are absent.
//
// If some could not be read, it returns the others together with one error
// that wraps users.ErrUnavailable; nothing is then known of the absent ones.
// The details are shared and must not be written.
func (d *Directory) Load(ctx context.Context, ids []string) (map[string]users.Details, error) {
	local := d.local.Load()
	found := make(map[string]users.Details, len(ids))
	var missing []string
	for _, id := range ids {
		if e, ok := local.GetIfPresent(id); !ok {
			missing = append(missing, id)
		} else if e.Known {
			found[id] = e.Details
		}
	}
	if len(missing) == 0 {
		return found, nil
	}
	slices.Sort(missing)
	missing = slices.Compact(missing)
	err := d.loadMissing(ctx, local, missing, found)
	if err != nil && !errors.Is(err, users.ErrUnavailable) {
		err = fmt.Errorf("%w: %w", users.ErrUnavailable, err)
	}
	return found, err
}

// errJoined is reported where a load failed that this one had joined. Who ran
// it reports the cause.
var errJoined = errors.New("the load that this one joined failed")

// loadMissing adds the details of distinct ids to found.
func (d *Directory) loadMissing(ctx context.Context, local *localCache, ids []string, found map[string]users.Details) error {
	l := &load{directory: d}
	for chunk := range slices.Chunk(ids, users.MaxBatch) {
		entries, err := local.BulkGet(ctx, chunk, l)
		for _, id := range chunk {
			e, ok := entries[id]
			switch {
			case !ok && err != nil:
				l.fail(err)
			case !ok:
				l.fail(errJoined)
			case e.Known:
				found[id] = e.Details
			}
		}
		if ctx.Err() != nil {
			break
		}
	}
	return l.err
}
