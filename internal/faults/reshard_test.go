package faults

import (
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/redistest"
)

// The prefix is moved to more shards and to fewer while it is in use.
func TestReshards(t *testing.T) {
	t.Parallel()
	u := startUnderLoadOn(t, redistest.StartCluster(t, 3, 0).URL())
	began, told := time.Now(), make([]int, len(u.recorders))
	for i, recorder := range u.recorders {
		told[i] = recorder.mark()
	}
	for _, shards := range []string{"64", "4"} {
		reshard := exec.CommandContext(t.Context(), suite.program, "reshard", "--shards", shards)
		reshard.Env = u.env
		out, err := reshard.CombinedOutput()
		require.NoError(t, err, string(out))
		require.Contains(t, string(out), "to "+shards)
	}
	done := time.Now()
	u.awaitGrace(done)
	u.beats.requireAlive()
	u.sockets.requireAlive()
	for _, f := range slices.Concat(u.beats.complaints(), u.sockets.complaints()) {
		require.Equal(t, "UNAVAILABLE", f.code)
	}
	var cluster struct {
		Cluster struct{ Shards []struct{ Online int } }
	}
	require.NoError(t, u.post(t.Context(), u.urls()[0], admin, `{ cluster { shards { online } } }`, nil, &cluster))
	require.Len(t, cluster.Cluster.Shards, 4)
	r := row{
		number: "18", fault: "resharded from 16 shards to 64 and to 4, on a Cluster", load: u.size,
		recovered: u.beats.lastFailure(began), until: "the last beat that failed, from the beginning",
	}
	for i, recorder := range u.recorders {
		r.account = recorder.requireReset(u.online())
		require.Empty(t, recorder.since(told[i]), "nobody has come or gone")
	}
	suite.table.add(r)
}
