package faults

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // the database of users is written to behind the nodes' backs

	"rollcall/internal/redistest"
)

// elsewhere is how soon what happens on one node must be felt on another.
const elsewhere = time.Second

func TestTwoNodesAreOneService(t *testing.T) {
	t.Parallel()
	s := newService(t, redistest.Start(t).URL(), 10*time.Second)
	a, b := s.start(), s.start()
	r := s.record(a.only)
	held := s.launch("held", 2, s.connected, a.only)
	replaced, ended := held.users[0], held.users[1]

	began := time.Now()
	s.launch("seen", 1, s.beating, b.only)
	seen := r.awaitEvents(elsewhere, 0, cameOnline, []string{"seen-0"})["seen-0"].arrived.Sub(began)

	var ignored any
	began = time.Now()
	const takeover = `mutation { heartbeat(input: {deviceId: "other"}) { outcome } }`
	require.NoError(t, s.post(t.Context(), b.url, "dev:"+replaced, takeover, nil, &ignored))
	replacing := held.awaitEnd(replaced, "REPLACED").Sub(began)
	require.Less(t, replacing, elsewhere)

	began = time.Now()
	disconnect := fmt.Sprintf(`mutation { disconnectUser(userId: %q) { ended } }`, ended)
	require.NoError(t, s.post(t.Context(), b.url, admin, disconnect, nil, &ignored))
	ending := held.awaitEnd(ended, "ENDED").Sub(began)
	require.Less(t, ending, elsewhere)

	want := history{}
	want.happened([]string{replaced, "seen-0"}, cameOnline)
	want.happened([]string{ended}, cameOnline, disconnected)
	suite.table.add(row{
		"11", "no fault: an event, a takeover and a disconnect on another node", "3 users",
		max(seen, replacing, ending), "each was felt", r.requireHistory(want),
	})
}

// awaitEnd waits until a device's session has ended so, and returns when it was told.
func (f *fleet) awaitEnd(user, how string) time.Time {
	f.t.Helper()
	awaitQuietly(back, func() bool { return f.state(user).end != "" })
	require.Equal(f.t, how, f.state(user).end)
	return f.state(user).ended
}

func TestARenamedUserIsRefreshedOnAllNodes(t *testing.T) {
	t.Parallel()
	s := newService(t, redistest.Start(t).URL(), 10*time.Second)
	a, b := s.start(), s.start()
	require.Equal(t, "Alice Arden", s.name(a, "alice"))
	require.Equal(t, "Alice Arden", s.name(b, "alice"))

	db, err := sql.Open("sqlite", s.database())
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	_, err = db.ExecContext(t.Context(), `UPDATE users SET name = 'Alice Baker' WHERE id = 'alice'`)
	require.NoError(t, err)
	require.Equal(t, "Alice Arden", s.name(b, "alice"), "is cached")

	var refreshed struct{ RefreshUsers int }
	require.NoError(t, s.post(t.Context(), a.url, admin, `mutation { refreshUsers(ids: ["alice"]) }`, nil, &refreshed))
	for _, n := range []*node{a, b} {
		awaitQuietly(elsewhere, func() bool { return s.name(n, "alice") == "Alice Baker" })
		require.Equal(t, "Alice Baker", s.name(n, "alice"))
	}
}

// database is the file of the database of users.
func (s *service) database() string {
	return strings.TrimPrefix(s.setting("ROLLCALL_DATABASE_URL"), "sqlite:")
}

// name is a user's name, by a node.
func (s *service) name(n *node, user string) string {
	s.t.Helper()
	var got struct{ User struct{ Name string } }
	require.NoError(s.t, s.post(context.Background(), n.url, admin, `query ($id: ID!) { user(id: $id) { name } }`, variables{"id": user}, &got))
	return got.User.Name
}

func TestRollingRestart(t *testing.T) {
	t.Parallel()
	n := sized(60, 2500)
	s := newService(t, redistest.Start(t).URL(), sized(4*time.Second, 10*time.Second))
	nodes := []*node{s.start(), s.start(), s.start()}
	r := s.record(s.urls)
	s.settle()
	beats := s.launch("beats", n, s.beating, s.urls)
	sockets := s.launch("socket", n, s.connected, s.urls)
	for _, old := range nodes {
		old.stop()
		s.start()
		s.forget(old)
	}
	last := time.Now()
	beats.awaitBeats(last, s.ttl)
	pass(t, s.ttl+expiredWithin) // who was lost is told
	beats.requireAlive()
	sockets.requireAlive()
	want := history{}
	want.happened(beats.users, cameOnline)
	want.happened(sockets.users, cameOnline)
	suite.table.add(row{
		"12", "three nodes are restarted, one after the other", fmt.Sprintf("%d users", 2*n),
		beats.longestSilence(), "the longest between two beats of a user", r.requireHistory(want),
	})
}
