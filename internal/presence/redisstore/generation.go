package redisstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"rollcall/internal/presence"
)

// generation is the store in one layout: its keys, and what this node keeps by
// shard. Resharding ends it, and all nodes go on with another.
type generation struct {
	layout
	text    string // the layout's, which goes with every call
	keys    []*shardKeys
	commits []*committer
	sweeps  []*sweep
	// outages tells by shard whether a call has failed since this node last swept it.
	outages []atomic.Bool
	margin  margin
}

func (s *Store) newGeneration(l layout) *generation {
	g := &generation{layout: l, text: l.String(), outages: make([]atomic.Bool, l.shards)}
	for shard := range l.shards {
		g.keys = append(g.keys, newShardKeys(s.opts.Prefix, l, shard))
		g.sweeps = append(g.sweeps, newSweep(l.buckets))
	}
	g.commits = newCommitters(s, g)
	return g
}

// current is the generation that calls begin with; one that ends meanwhile refuses them.
func (s *Store) current() *generation { return s.generation.Load() }

// movedReply begins our scripts' refusal of a shard that is stored in another
// layout, which follows.
const movedReply = "LAYOUT "

// emptyReply begins their refusal to begin a shard in which nothing is stored.
const emptyReply = "EMPTY "

// begin says whether shards of g in which nothing is stored may be begun: not if the
// prefix is stored in another layout. A Redis that has lost its data, or has come back with what
// it had before a resharding, would else have two lists of users: some nodes', and the others'.
func (s *Store) begin(ctx context.Context, g *generation) error {
	stored, err := findLayout(ctx, s.client, s.opts.Prefix)
	if err == nil && stored != "" && stored != g.text {
		s.follow(ctx, g, movedReply+stored)
		err = fmt.Errorf("prefix %q is stored in %q, not in %q", s.opts.Prefix, stored, g.text)
	}
	if _, unavailable := errors.AsType[*presence.UnavailableError](err); err == nil || unavailable {
		return err
	}
	return &presence.UnavailableError{RetryAfter: retryAfter, Cause: err}
}

// follow goes on with the layout to which a reply says that the users of g were moved.
func (s *Store) follow(ctx context.Context, g *generation, reply string) {
	_, text, _ := strings.Cut(reply, movedReply)
	l, ok := parseLayout(text)
	if !ok || l.shards == g.shards || l.levelIndex != g.levelIndex {
		return // stored by nodes that are set up differently; see Check
	}
	if s.generation.CompareAndSwap(g, s.newGeneration(l)) {
		s.log.WarnContext(ctx, "the store was resharded; set ROLLCALL_SHARDS before this node is restarted", "shards", l.shards)
	}
}
