package redisstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"
)

const (
	// holdFor is how long a shard stays ours after the last sign of life: the time for
	// which it may refuse writes if we die.
	holdFor   = 10 * time.Second
	holdEvery = holdFor / 5
	// pointFor is more than a resharding takes; while it copies, nodes that have the new
	// number already must not begin with it.
	pointFor = 24 * time.Hour
)

// ErrHeld is what a second resharding at a time gets, and one that was held up.
var ErrHeld = errors.New("another resharding of this prefix is under way, or this one was held up; nothing has changed, try again later")

// Resharded is what a resharding has done.
type Resharded struct {
	From, To int           // shards; the same if there was nothing to do
	Users    int           // online and offline, whose records were moved
	Refusing time.Duration // how long heartbeats were refused
}

// resharding moves all users of a prefix from one layout to another.
type resharding struct {
	store    *Store
	id       string // what hold.lua knows us by
	from, to *generation
	copier   copier

	frozen bool // writes are to be refused
	heldAt time.Time
}

// Reshard moves the prefix of opts to opts.Shards shards, whatever it has now, while nodes
// serve it. They follow by themselves; what is read meanwhile is right, and nobody
// goes offline by it. Event logs begin anew.
//
//	take ─▶ copy ─▶ freeze ─▶ copy what has changed ─▶ move ─▶ delete
//	                   └─ heartbeats: UNAVAILABLE ─┘
//
// Until they are moved the users are where they were: whoever fails on the way has
// changed nothing. tell hears how many buckets of how many have been copied.
// Errors: [ErrHeld], [*presence.UnavailableError], and what an operator has to mend.
func Reshard(ctx context.Context, opts Options, tell func(done, total int)) (_ Resharded, err error) {
	s, err := Open(opts)
	if err != nil {
		return Resharded{}, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	text, err := findLayout(ctx, s.client, opts.Prefix)
	if err != nil {
		return Resharded{}, err
	}
	from, ok := parseLayout(text)
	switch {
	case text == "":
		return Resharded{}, fmt.Errorf("nothing is stored with prefix %q: its nodes may begin with any number of shards", opts.Prefix)
	case !ok:
		return Resharded{}, fmt.Errorf("prefix %q is stored in %q, which this version can't read", opts.Prefix, text)
	case from.shards == opts.Shards:
		return Resharded{From: from.shards, To: from.shards}, nil
	}
	s.checked.Store(true) // we write what was found
	to := newLayout(opts.Shards, from.shards*from.buckets, from.levelIndex)
	r := &resharding{store: s, id: rand.Text(), from: s.newGeneration(from), to: s.newGeneration(to)}
	r.copier = newCopier(s, r.from, r.to, tell)
	return r.run(ctx)
}

func (r *resharding) run(ctx context.Context) (Resharded, error) {
	done := Resharded{From: r.from.shards, To: r.to.shards}
	if err := r.hold(ctx, holdFor, true); err != nil {
		return done, err
	}
	frozenAt, err := r.prepare(ctx)
	if err == nil {
		err = r.move(ctx)
	}
	if err != nil {
		// Given back at once; if that fails, it comes back by itself.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
		defer cancel()
		_ = r.hold(ctx, 0, false)
		return done, err
	}
	done.Users, done.Refusing = len(r.copier.copied), time.Since(frozenAt)
	return done, clearKeys(context.WithoutCancel(ctx), r.store, r.from)
}

// prepare copies all users, with the shards frozen in the end.
func (r *resharding) prepare(ctx context.Context) (frozenAt time.Time, err error) {
	if err := clearKeys(ctx, r.store, r.to); err != nil { // of one that was given up
		return frozenAt, err
	}
	if err := r.pointBack(ctx); err != nil {
		return frozenAt, err
	}
	if err := r.copier.copy(ctx, r.keep); err != nil {
		return frozenAt, err
	}
	r.frozen, frozenAt = true, time.Now()
	if err := r.hold(ctx, holdFor, false); err != nil {
		return frozenAt, err
	}
	return frozenAt, r.copier.copy(ctx, r.keep)
}

// pointBack makes the new shards say that their users are in the old ones, for as long
// as they are: an earlier resharding may have left something else.
func (r *resharding) pointBack(ctx context.Context) error {
	pipe := r.store.client.Pipeline()
	for _, k := range r.to.keys {
		pipe.HSet(ctx, k.meta, "layout", r.from.String())
		pipe.Expire(ctx, k.meta, pointFor)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return classify(fmt.Errorf("preparing the new shards: %w", err))
	}
	return nil
}

// move makes the new layout the one that counts. The first shard decides: a node that
// finds it moved follows for all.
func (r *resharding) move(ctx context.Context) error {
	for _, k := range r.to.keys {
		if err := r.store.client.Del(ctx, k.meta).Err(); err != nil {
			return classify(fmt.Errorf("opening the new shards: %w", err))
		}
	}
	if err := r.hold(ctx, holdFor, false); err != nil {
		return err
	}
	if err := r.moveShard(ctx, 0); err != nil {
		return err
	}
	// Begun, it is ended. A shard that fails is one that nobody asks any more.
	ctx = context.WithoutCancel(ctx)
	for shard := 1; shard < r.from.shards; shard++ {
		_ = r.moveShard(ctx, shard)
	}
	return nil
}

func (r *resharding) moveShard(ctx context.Context, shard int) error {
	k, args := r.from.keys[shard], append(r.store.readArgs(r.from, 2), r.id, r.to.String())
	answers, err := r.store.run(ctx, r.from, r.store.scripts.move, []call{{shard, []string{k.meta, k.events}, args}})
	if err == nil && answers[0] != int64(1) {
		return ErrHeld
	}
	return err
}

// keep holds the shards on, when it is time to.
func (r *resharding) keep(ctx context.Context) error {
	if time.Since(r.heldAt) < holdEvery {
		return nil
	}
	return r.hold(ctx, holdFor, false)
}

// hold holds all shards, by hold.lua.
func (r *resharding) hold(ctx context.Context, d time.Duration, take bool) error {
	calls := make([]call, r.from.shards)
	for shard := range calls {
		args := append(r.store.readArgs(r.from, 4), r.id, take, d.Milliseconds(), r.frozen)
		calls[shard] = call{shard, []string{r.from.keys[shard].meta}, args}
	}
	r.heldAt = time.Now()
	answers, err := r.store.run(ctx, r.from, r.store.scripts.hold, calls)
	if err != nil {
		return err
	}
	for _, answer := range answers {
		if answer != int64(1) {
			return ErrHeld
		}
	}
	return nil
}

// clearKeys deletes all of a generation but its metas.
func clearKeys(ctx context.Context, s *Store, g *generation) error {
	const atOnce = 512
	for _, k := range g.keys {
		keys := append(k.writeKeys(g.allBuckets())[1:], k.roster)
		for len(keys) > 0 {
			n := min(len(keys), atOnce)
			if err := s.client.Unlink(ctx, keys[:n]...).Err(); err != nil {
				return classify(fmt.Errorf("deleting a layout that is not used: %w", err))
			}
			keys = keys[n:]
		}
	}
	return nil
}
