package resolvers_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

func TestMe(t *testing.T) {
	s := newServer(t)
	s.directory.put("ann", "Ann", 7)
	s.signIn(t, "ann", "phone")
	s.do(t, ann, `{me{id name avatarUrl level presence{userId user{id} status lastActiveAt onlineSince deviceId}}}`, nil).is(t, `{"me": {
		"id": "ann", "name": "Ann", "avatarUrl": "https://pictures.example/ann", "level": 7,
		"presence": {"userId": "ann", "user": {"id": "ann"}, "status": "ONLINE", "deviceId": "phone",
			"lastActiveAt": "2026-03-14T15:09:26.535Z", "onlineSince": "2026-03-14T15:09:26.535Z"}}}`)
}

func TestUserIsWhoeverDirectoryOrListKnows(t *testing.T) {
	s := newServer(t)
	s.directory.put("listed", "Listed", 1)
	s.signIn(t, "online", "phone")
	const document = `query($id: ID!) {user(id: $id) {id name}}`
	s.do(t, ann, document, variables{"id": "listed"}).is(t, `{"user": {"id": "listed", "name": "Listed"}}`)
	s.do(t, ann, document, variables{"id": "online"}).is(t, `{"user": {"id": "online", "name": null}}`)
	s.do(t, ann, document, variables{"id": "neither"}).is(t, `{"user": null}`)
}

func TestUsersKeepOrderAndLength(t *testing.T) {
	s := newServer(t)
	s.directory.put("a", "A", 1)
	s.directory.put("b", "B", 2)
	s.signIn(t, "online", "phone")
	s.do(t, ann, `{users(ids: ["b", "nobody", "a", "online", "b"]) {id level presence{status}}}`, nil).is(t, `{"users": [
		{"id": "b", "level": 2, "presence": {"status": "OFFLINE"}}, null,
		{"id": "a", "level": 1, "presence": {"status": "OFFLINE"}},
		{"id": "online", "level": null, "presence": {"status": "ONLINE"}},
		{"id": "b", "level": 2, "presence": {"status": "OFFLINE"}}]}`)
	require.Equal(t, []int{4}, s.directory.loaded(), "distinct ids, loaded at once")
	require.EqualValues(t, 1, s.service.presents.Load())
	s.do(t, ann, `{users(ids: []) {id}}`, nil).is(t, `{"users": []}`)
}

func TestPresenceInTheIDsOrder(t *testing.T) {
	s := newServer(t)
	s.directory.put("ann", "Ann", 7)
	s.signIn(t, "ann", "phone")
	s.clock.Advance(time.Second)
	s.signIn(t, "bob", "phone")
	s.do(t, bob, `{presence(userIds: ["bob", "ghost", "ann"]) {userId status lastActiveAt onlineSince user{name}}}`, nil).is(t, `{"presence": [
		{"userId": "bob", "status": "ONLINE", "user": {"name": null},
			"lastActiveAt": "2026-03-14T15:09:27.535Z", "onlineSince": "2026-03-14T15:09:27.535Z"},
		{"userId": "ghost", "status": "OFFLINE", "lastActiveAt": null, "onlineSince": null, "user": {"name": null}},
		{"userId": "ann", "status": "ONLINE", "user": {"name": "Ann"},
			"lastActiveAt": "2026-03-14T15:09:26.535Z", "onlineSince": "2026-03-14T15:09:26.535Z"}]}`)
	s.do(t, ann, `{presence(userIds: []) {userId}}`, nil).is(t, `{"presence": []}`)
}

func TestDeviceIDIsForTheUserAndAdminsOnly(t *testing.T) {
	s := newServer(t)
	s.signIn(t, "ann", "phone")
	const document = `{presence(userIds: ["ann"]) {deviceId} onlineUsers{nodes{presence{deviceId}}}}`
	const shown = `{"presence": [{"deviceId": "phone"}], "onlineUsers": {"nodes": [{"presence": {"deviceId": "phone"}}]}}`
	const hidden = `{"presence": [{"deviceId": null}], "onlineUsers": {"nodes": [{"presence": {"deviceId": null}}]}}`
	s.do(t, ann, document, nil).is(t, shown)
	s.do(t, root, document, nil).is(t, shown)
	s.do(t, bob, document, nil).is(t, hidden)
	s.do(t, gateway, document, nil).is(t, hidden)
}

type list struct {
	OnlineUsers struct {
		Edges []struct {
			Cursor string
			Node   struct{ ID string }
		}
		Nodes    []struct{ ID string }
		PageInfo struct {
			HasNextPage, HasPreviousPage bool
			StartCursor, EndCursor       *string
		}
		TotalCount int
	}
}

func (l list) ids() []string {
	var ids []string
	for _, e := range l.OnlineUsers.Edges {
		ids = append(ids, e.Node.ID)
	}
	return ids
}

const listDocument = `query($first: Int, $after: String, $orderBy: OnlineOrder, $filter: OnlineFilter) {
	onlineUsers(first: $first, after: $after, orderBy: $orderBy, filter: $filter) {
		edges{cursor node{id}} nodes{id} pageInfo{hasNextPage hasPreviousPage startCursor endCursor} totalCount}}`

// crowd signs in u0, u1 … of level i/2, one second apart, the last two without a level.
func crowd(t *testing.T, s *server, n int) {
	t.Helper()
	for i := range n {
		id := fmt.Sprintf("u%d", i)
		if i < n-2 {
			s.directory.put(id, "User "+id, i/2)
		}
		s.signIn(t, id, "phone")
		s.clock.Advance(time.Second)
	}
}

func TestOnlineUsersWalksEachOrder(t *testing.T) {
	s := newServer(t)
	crowd(t, s, 7)
	for _, tt := range []struct {
		order presence.Order
		want  []string
	}{
		{presence.LastActiveDesc, []string{"u6", "u5", "u4", "u3", "u2", "u1", "u0"}},
		{presence.LastActiveAsc, []string{"u0", "u1", "u2", "u3", "u4", "u5", "u6"}},
		{presence.LevelDesc, []string{"u4", "u3", "u2", "u1", "u0", "u6", "u5"}},
		{presence.LevelAsc, []string{"u0", "u1", "u2", "u3", "u4", "u5", "u6"}},
	} {
		t.Run(string(tt.order), func(t *testing.T) {
			var walked []string
			vars := variables{"first": 3, "orderBy": tt.order}
			for page := 0; ; page++ {
				var l list
				s.do(t, ann, listDocument, vars).into(t, &l)
				info := l.OnlineUsers.PageInfo
				require.Equal(t, 7, l.OnlineUsers.TotalCount)
				require.Equal(t, page > 0, info.HasPreviousPage)
				require.Equal(t, l.OnlineUsers.Edges[0].Cursor, *info.StartCursor)
				require.Equal(t, l.OnlineUsers.Edges[len(l.OnlineUsers.Edges)-1].Cursor, *info.EndCursor)
				require.Len(t, l.OnlineUsers.Nodes, len(l.OnlineUsers.Edges))
				walked = append(walked, l.ids()...)
				if !info.HasNextPage {
					break
				}
				vars["after"] = *info.EndCursor
			}
			require.Equal(t, tt.want, walked)
		})
	}
}

func TestOnlineUsersUnorderedWalkSeesEverybody(t *testing.T) {
	s := newServer(t)
	crowd(t, s, 20)
	seen := make(map[string]bool)
	vars := variables{"first": 3, "orderBy": "UNORDERED"}
	for {
		var l list
		s.do(t, ann, listDocument, vars).into(t, &l)
		for _, id := range l.ids() {
			seen[id] = true
		}
		if !l.OnlineUsers.PageInfo.HasNextPage {
			break
		}
		vars["after"] = *l.OnlineUsers.PageInfo.EndCursor
	}
	require.Len(t, seen, 20)
}

func TestOnlineUsersFilter(t *testing.T) {
	s := newServer(t)
	crowd(t, s, 4) // of levels 0 and 0, and two without
	s.clock.Advance(presence.DefaultAwayAfter - 4*time.Second)
	s.directory.put("late", "Late", 9)
	s.signIn(t, "late", "phone") // by now u0 is AWAY
	for _, tt := range []struct {
		name   string
		filter variables
		want   []string
	}{
		{"none", nil, []string{"late", "u3", "u2", "u1", "u0"}},
		{"online", variables{"status": "ONLINE"}, []string{"late", "u3", "u2", "u1"}},
		{"away", variables{"status": "AWAY"}, []string{"u0"}},
		{"offline is an empty list", variables{"status": "OFFLINE"}, nil},
		{"from a level", variables{"minLevel": 1}, []string{"late"}},
		{"to a level", variables{"maxLevel": 8}, []string{"u1", "u0"}},
		{"both", variables{"status": "ONLINE", "minLevel": 0, "maxLevel": 8}, []string{"u1"}},
		{"an empty range", variables{"minLevel": 2, "maxLevel": 1}, nil},
		{"beyond all levels", variables{"minLevel": 2147483647}, nil},
		{"nulls", variables{"status": nil, "minLevel": nil, "maxLevel": nil}, []string{"late", "u3", "u2", "u1", "u0"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var l list
			s.do(t, ann, listDocument, variables{"filter": tt.filter}).into(t, &l)
			require.Equal(t, tt.want, l.ids())
			require.Equal(t, len(tt.want), l.OnlineUsers.TotalCount)
			if len(tt.want) == 0 {
				require.Nil(t, l.OnlineUsers.PageInfo.StartCursor)
				require.Nil(t, l.OnlineUsers.PageInfo.EndCursor)
			}
			var count list
			s.do(t, ann, `query($filter: OnlineFilter) {onlineUsers(filter: $filter) {totalCount}}`,
				variables{"filter": tt.filter}).into(t, &count)
			require.Equal(t, len(tt.want), count.OnlineUsers.TotalCount)
		})
	}
}

func TestNullArgumentsAreTheDefaults(t *testing.T) {
	s := newServer(t)
	crowd(t, s, 51)
	var l list
	s.do(t, ann, listDocument, variables{"first": nil, "after": nil, "orderBy": nil, "filter": nil}).into(t, &l)
	require.Len(t, l.OnlineUsers.Edges, 50)
	require.Equal(t, "u50", l.ids()[0])
}

func TestOnlineCount(t *testing.T) {
	s := newServer(t)
	s.do(t, ann, `{onlineCount}`, nil).is(t, `{"onlineCount": 0}`)
	crowd(t, s, 3)
	s.do(t, ann, `{onlineCount}`, nil).is(t, `{"onlineCount": 3}`)
}

func TestCluster(t *testing.T) {
	s := newServer(t)
	crowd(t, s, 9)
	s.subscribe(t, ann, `subscription{presenceChanged{cursor}}`, nil).next(t)
	var got struct {
		Cluster struct {
			Online                                                          int
			Shards                                                          []struct{ Index, Online int }
			Imbalance, HeartbeatsPerSecond, UsedMemoryBytes, MaxMemoryBytes float64
			Subscribers                                                     int
		}
	}
	s.do(t, root, `{cluster{online shards{index online} imbalance heartbeatsPerSecond subscribers usedMemoryBytes maxMemoryBytes}}`, nil).into(t, &got)
	c := got.Cluster
	require.Equal(t, 9, c.Online)
	require.Len(t, c.Shards, 4)
	least, most, sum := 9, 0, 0
	for i, shard := range c.Shards {
		require.Equal(t, i, shard.Index)
		least, most, sum = min(least, shard.Online), max(most, shard.Online), sum+shard.Online
	}
	require.Equal(t, 9, sum)
	require.InDelta(t, float64(most-least)/(9.0/4), c.Imbalance, 1e-9)
	require.InDelta(t, 12.5, c.HeartbeatsPerSecond, 1e-9)
	require.Equal(t, 1, c.Subscribers)
}

func TestClusterOfNobodyIsBalanced(t *testing.T) {
	s := newServer(t)
	s.do(t, root, `{cluster{online imbalance}}`, nil).is(t, `{"cluster": {"online": 0, "imbalance": 0}}`)
}
