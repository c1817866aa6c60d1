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
// loading, a replica, without memory, refuses us, or the cluster is incomplete. LAYOUT and
// RESHARDING are our own scripts' words for a shard that is stored in another layout, or
// will be in a moment.
var unavailableReplies = []string{
	"LOADING", "READONLY", "CLUSTERDOWN", "MASTERDOWN", "TRYAGAIN", "MOVED", "ASK",
	"NOAUTH", "WRONGPASS", "NOPERM", "ERR Protocol error: unauthenticated", movedReply, "RESHARDING",
	// a right that is missing inside a script, as Redis 7.0 and later ones say it
	"ERR The user executing the script can't", "ERR ACL failure in script",
	"OOM", "BUSY", "NOREPLICAS", "MISCONF", "UNBLOCKED", "ERR max number of clients",
}

// failure is the domain's error for one of go-redis. What it says of where users are, or that
// servers may have changed, is heeded for the calls to come.
func (s *Store) failure(ctx context.Context, g *generation, sc *script, shard int, err error) error {
	if redis.HasErrorPrefix(err, movedReply) {
		s.follow(ctx, g, err.Error())
	}
	err = missing(g, shard, classify(fmt.Errorf("%s on shard %d: %w", sc.name, shard, err)))
	if errors.As(err, new(*presence.UnavailableError)) {
		s.lookForServers(ctx)
	}
	return err
}

// lookForServers has a Cluster's clients see now who the primaries are: by themselves they
// look every few seconds, and a pipeline that fails does not make them. They look once at a time.
func (s *Store) lookForServers(ctx context.Context) {
	for _, client := range []redis.UniversalClient{s.client, s.blocked} {
		if cluster, ok := client.(*redis.ClusterClient); ok {
			cluster.ReloadState(ctx)
		}
	}
}

// missing is err, which names the shard if it says that it can't be reached.
func missing(g *generation, shard int, err error) error {
	if unavailable, ok := errors.AsType[*presence.UnavailableError](err); ok {
		unavailable.Part = fmt.Sprintf("shard %d", shard)
		g.outages[shard].Store(true)
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
