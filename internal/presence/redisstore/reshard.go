package redisstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
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
var ErrHeld = errors.New("another resharding of this prefix is under way, or this one was held up; nothing has changed; try again in ten seconds")

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
	r.copier = newCopier(s, r.id, r.from, r.to, tell)
	return r.run(ctx)
}

func (r *resharding) run(ctx context.Context) (Resharded, error) {
	done := Resharded{From: r.from.shards, To: r.to.shards}
	var frozenAt time.Time
	err := r.hold(ctx, holdFor, true)
	if err == nil {
		frozenAt, err = r.prepare(ctx)
	}
	if err == nil {
		err = r.move(ctx)
	}
	if err != nil {
		r.giveUp(context.WithoutCancel(ctx))
		return done, err
	}
	done.Users, done.Refusing = len(r.copier.copied), time.Since(frozenAt)
	if err := r.clear(context.WithoutCancel(ctx), r.from); !errors.Is(err, ErrHeld) {
		return done, err
	}
	return done, nil // another one has begun to move them back
}

// giveUp gives the shards back at once, and the memory of the copy: it may be what
// Redis lacks. If that fails, both come back by themselves.
func (r *resharding) giveUp(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, holdFor)
	defer cancel()
	_ = r.hold(ctx, 0, false)
	_ = r.clear(ctx, r.to)
}

// prepare copies all users, with the shards frozen in the end.
func (r *resharding) prepare(ctx context.Context) (frozenAt time.Time, err error) {
	if err := r.claim(ctx); err != nil {
		return frozenAt, err
	}
	if err := r.clear(ctx, r.to); err != nil { // of one that was given up
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

// claim makes the new shards ours. Whatever is done to them from now on is done only while they
// are: we may have been stopped for so long that another resharding has taken
// over, and users are there by now.
func (r *resharding) claim(ctx context.Context) error {
	args := []any{r.to.text, r.from.text, r.id, int(pointFor.Seconds())}
	var calls []call
	for shard, k := range r.to.keys {
		calls = append(calls, call{shard, []string{k.meta}, args})
	}
	return kept(r.store.run(ctx, r.to, r.store.scripts.claim, calls))
}

// move makes the new layout the one that counts. The first shard decides: a node that
// finds it moved follows for all.
func (r *resharding) move(ctx context.Context) error {
	for shard, k := range r.to.keys {
		if err := r.clearKeys(ctx, r.to, shard, []string{k.meta}); err != nil {
			return err
		}
	}
	if err := r.hold(ctx, holdFor, false); err != nil {
		return err
	}
	if err := r.decide(ctx); err != nil {
		return err
	}
	// Begun, it is ended. A shard that fails is one that nobody asks any more.
	ctx = context.WithoutCancel(ctx)
	pipe := r.store.client.Pipeline()
	for _, k := range r.to.keys { // before any node comes: nobody may claim them any more
		pipe.HSetNX(ctx, k.meta, "layout", r.to.text)
		pipe.Expire(ctx, k.meta, pointFor)
	}
	_, _ = pipe.Exec(ctx)
	for shard := 1; shard < r.from.shards; shard++ {
		_ = r.moveShard(ctx, shard)
	}
	return nil
}

// decide moves the first shard. Its answer may be lost: whether it was done is then asked
// as long as the others are held.
func (r *resharding) decide(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	for {
		err := r.moveShard(ctx, 0)
		switch {
		case err == nil, strings.Contains(err.Error(), movedReply+r.to.text):
			return nil
		case errors.Is(err, ErrHeld), time.Since(r.heldAt) > holdFor-2*callTimeout:
			return err
		}
		time.Sleep(holdEvery / 10)
	}
}

func (r *resharding) moveShard(ctx context.Context, shard int) error {
	k, args := r.from.keys[shard], append(r.store.readArgs(r.from, 2), r.id, r.to.text)
	return kept(r.store.run(ctx, r.from, r.store.scripts.move, []call{{shard, []string{k.meta, k.events}, args}}))
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
	return kept(r.store.run(ctx, r.from, r.store.scripts.hold, calls))
}

// kept is ErrHeld if a script says that what it is for is no longer ours.
func kept(answers []any, err error) error {
	for _, answer := range answers {
		if answer != int64(1) {
			return ErrHeld
		}
	}
	return err
}

// clear deletes all of a generation but its metas.
func (r *resharding) clear(ctx context.Context, g *generation) error {
	const atOnce = 512
	for shard, k := range g.keys {
		keys := append(k.writeKeys(g.allBuckets())[1:], k.roster)
		for len(keys) > 0 {
			n := min(len(keys), atOnce)
			if err := r.clearKeys(ctx, g, shard, keys[:n]); err != nil {
				return err
			}
			keys = keys[n:]
		}
	}
	return nil
}

// clearKeys deletes keys of a shard, as long as it is ours to clear.
func (r *resharding) clearKeys(ctx context.Context, g *generation, shard int, keys []string) error {
	keys = append([]string{g.keys[shard].meta}, keys...)
	return kept(r.store.run(ctx, g, r.store.scripts.clear, []call{{shard, keys, []any{r.id}}}))
}
