package redisstore

import (
	"context"
	"fmt"

	"rollcall/internal/presence"
)

// End implements presence.Store by end.lua.
func (s *Store) End(ctx context.Context, userID string, epoch presence.Epoch, reason presence.Reason) (bool, error) {
	state := stateSignedOut
	if reason == presence.Disconnected {
		state = stateDisconnected
	}
	g := s.current()
	shard, bucket := g.place(userID)
	args := append(s.writeArgs(g, shard, 3), userID, int64(epoch), state)
	answers, err := s.run(ctx, g, s.scripts.end, []call{{shard, g.keys[shard].writeKeys([]int{bucket}), args}})
	if err != nil {
		return false, err
	}
	switch answers[0] {
	case int64(0):
		return false, nil
	case int64(1):
		return true, nil
	case int64(codeAhead):
		return false, presence.ErrEpochAhead
	}
	return false, fmt.Errorf("end: %w", errReply("a code", answers[0]))
}
