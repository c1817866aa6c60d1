package redisstore

import (
	"context"
	"fmt"

	"rollcall/internal/presence"
)

// Subscribers implements presence.Store by roster.lua. The roster is one key, next to the
// first shard.
func (s *Store) Subscribers(ctx context.Context, own int) (int, error) {
	g := s.current()
	args := append(s.readArgs(g, 3), s.node, own, presence.RosterKept.Milliseconds())
	answers, err := s.run(ctx, g, s.scripts.roster, []call{{0, []string{g.keys[0].meta, g.keys[0].roster}, args}})
	if err != nil {
		return 0, err
	}
	all, ok := answers[0].(int64)
	if !ok {
		return 0, fmt.Errorf("roster: %w", errReply("a count", answers[0]))
	}
	return int(all), nil
}
