package faults

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/redistest"
)

// promotedWithin is how long a layout may take to replace a primary: that is its
// own matter.
const promotedWithin = 30 * time.Second

func TestAPrimaryOfAClusterIsKilled(t *testing.T) {
	t.Parallel()
	cluster := redistest.StartCluster(t, 3, 1)
	// A node that sees the new primary later than another by more than a lease finds its users
	// expired. Nodes look as soon as a call fails, and every 5 s, which is what the lease is to outlast.
	u := startUnderLoadFor(t, cluster.URL(), sized(7*time.Second, 10*time.Second))
	failOver(t, row{number: "13", fault: "a primary of a Redis Cluster (3 + 3) is killed"}, u,
		cluster.Nodes[0], cluster.Nodes[cluster.Primaries:cluster.Primaries+1])
}

func TestThePrimaryOfSentinelIsKilled(t *testing.T) {
	t.Parallel()
	sentinel := redistest.StartSentinel(t, 2, 3)
	failOver(t, row{number: "14", fault: "the primary of a Sentinel (1 + 2) is killed"}, startUnderLoadOn(t, sentinel.URL()),
		sentinel.Primary, sentinel.Replicas)
}

// failOver kills a primary, and compares what is told once one of the replicas has taken
// its place.
func failOver(t *testing.T, r row, u *underLoad, primary *redistest.Server, replicas []*redistest.Server) {
	t.Helper()
	primary.Stop()
	var promoted time.Time
	awaitQuietly(promotedWithin, func() bool {
		for _, replica := range replicas {
			if info, err := replica.Client().Info(t.Context(), "replication").Result(); err == nil && strings.Contains(info, "role:master") {
				promoted = time.Now()
			}
		}
		return !promoted.IsZero()
	})
	require.False(t, promoted.IsZero(), "no replica was promoted")
	u.beats.awaitBeats(promoted, back)
	u.awaitGrace(promoted)
	r.load, r.recovered, r.until = u.size, u.beats.lastFailure(promoted), "the last beat that failed after the promotion"
	require.Less(t, r.recovered, back)
	u.requireOnlyUnavailable()
	for _, recorder := range u.recorders {
		r.account = recorder.requireNothingFalse(u.online())
	}
	suite.table.add(r)
}

func TestAServerOfARingIsAway(t *testing.T) {
	t.Parallel()
	ring := redistest.StartRing(t, 4)
	oneAway(t, row{number: "16", fault: "one of 4 servers of a Ring is away for 2 TTL"}, ring.URL(), ring.Nodes)
}

func TestAPrimaryWithoutReplicaIsAway(t *testing.T) {
	t.Parallel()
	cluster := redistest.StartCluster(t, 3, 0)
	for _, node := range cluster.Nodes {
		require.NoError(t, node.Client().ConfigSet(t.Context(), "cluster-require-full-coverage", "no").Err())
	}
	oneAway(t, row{number: "17", fault: "one of 3 primaries of a Cluster is away for 2 TTL"}, cluster.URL(), cluster.Nodes)
}

// oneAway lets one of several servers hang: its users can't beat, all others can, and
// nothing is answered that would leave its users out.
func oneAway(t *testing.T, r row, url string, servers []*redistest.Server) {
	t.Helper()
	u := startUnderLoadOn(t, url)
	// The first one that has a shard: few are spread over the servers by chance.
	server := servers[slices.IndexFunc(servers, func(s *redistest.Server) bool {
		return s.Client().DBSize(t.Context()).Val() > 0
	})]
	began := time.Now()
	server.Pause()
	const called = 1500 * time.Millisecond // an operation fails within that
	pass(t, called)
	settled := time.Now()
	for _, query := range []string{`{ onlineUsers { nodes { id } } }`, `{ onlineUsers(orderBy: LEVEL_DESC) { nodes { id } } }`, `{ onlineCount }`, `{ onlineUsers { totalCount } }`} {
		var data any
		err := u.post(t.Context(), u.urls()[0], admin, query, nil, &data)
		require.Equal(t, "UNAVAILABLE", code(err), query)
		require.Regexp(t, `shard \d+`, err.Error(), query)
	}
	pass(t, time.Until(began.Add(2*u.ttl)))
	silent, refused := u.beats.silent(settled), u.beats.refused(began)
	require.ElementsMatch(t, refused, silent, "whoever was refused at all was refused all the time, and nobody else")
	require.NotEmpty(t, silent)
	require.Less(t, len(silent), len(u.beats.users)*3/4)

	resumed := time.Now()
	server.Resume()
	u.beats.awaitBeats(resumed, back)
	u.awaitGrace(resumed)
	r.load = fmt.Sprintf("%s, about %d of them on it", u.size, 2*len(silent))
	r.recovered, r.until = u.beats.lastFailure(resumed), "the last beat that failed"
	require.Less(t, r.recovered, back)
	u.requireOnlyUnavailable()
	for _, recorder := range u.recorders {
		r.account = recorder.requireHistory(u.online())
	}
	suite.table.add(r)
}
