package redisstore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"rollcall/internal/presence"
)

// retryAfter is what callers are told to wait while Redis can't be reached.
const retryAfter = time.Second

// unavailableReplies begin the replies of a server that can't serve us at the moment: it is
// loading, a replica, without memory, refuses us, or the cluster is incomplete. LAYOUT is
// our own scripts' word for a shard that other nodes have laid out.
var unavailableReplies = []string{
	"LOADING", "READONLY", "CLUSTERDOWN", "MASTERDOWN", "TRYAGAIN", "MOVED", "ASK",
	"NOAUTH", "WRONGPASS", "NOPERM", "ERR Protocol error: unauthenticated", "LAYOUT",
	"OOM", "BUSY", "NOREPLICAS", "MISCONF", "UNBLOCKED", "ERR max number of clients",
}

// failure is the domain's error for one of go-redis.
func (s *Store) failure(sc *script, c call, err error) error {
	err = classify(fmt.Errorf("%s on shard %d: %w", sc.name, c.shard, err))
	if unavailable, ok := errors.AsType[*presence.UnavailableError](err); ok {
		unavailable.Part = fmt.Sprintf("shard %d", c.shard)
		s.outages[c.shard].Store(true)
	}
	return err
}

// classify leaves the caller's own cancellation and a server's complaint about
// the call (a defect of ours) as they are; everything else means that the server can't be reached.
func classify(err error) error {
	var reply redis.Error
	if errors.Is(err, context.Canceled) {
		return err
	}
	if errors.As(err, &reply) && !unavailableReply(reply.Error()) {
		return err
	}
	return &presence.UnavailableError{RetryAfter: retryAfter, Cause: err}
}

func unavailableReply(reply string) bool {
	for _, prefix := range unavailableReplies {
		if strings.HasPrefix(reply, prefix) {
			return true
		}
	}
	return false
}
