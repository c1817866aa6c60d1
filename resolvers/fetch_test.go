package resolvers_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatIsNotSelectedIsNotFetched(t *testing.T) {
	for _, tt := range []struct {
		name, document          string
		pages, counts, presents int32
		loads                   []int // ids in each load of the directory
	}{
		{"count only", `{onlineUsers(first: 500) {totalCount}}`, 0, 1, 0, nil},
		{"type names only", `{onlineUsers{__typename}}`, 0, 1, 0, nil},
		{"page info only", `{onlineUsers{pageInfo{hasNextPage}}}`, 1, 0, 0, nil},
		{"ids only", `{onlineUsers(first: 500) {nodes{id} edges{cursor node{id presence{userId user{id}}}}}}`, 1, 0, 0, nil},
		{"what the list has", `{onlineUsers(first: 500) {nodes{presence{status lastActiveAt}}}}`, 1, 0, 0, nil},
		{"what only sessions have", `{onlineUsers(first: 500) {nodes{presence{onlineSince}} edges{node{presence{deviceId status}}}}}`, 1, 0, 1, nil},
		{"details", `{onlineUsers(first: 500) {nodes{name level presence{user{avatarUrl}}} edges{node{avatarUrl}}}}`, 1, 0, 0, []int{500}},
		{"details in fragments", `query {onlineUsers(first: 500) {...page}} fragment page on OnlineUserConnection {nodes{... on User {name}}}`, 1, 0, 0, []int{500}},
		{"details left out", `{onlineUsers(first: 500) {nodes{id name @include(if: false) level @skip(if: true)}}}`, 1, 0, 0, nil},
		{"a smaller page", `{onlineUsers(first: 50) {nodes{name}}}`, 1, 0, 0, []int{50}},
		{"count", `{onlineCount}`, 0, 1, 0, nil},
		{"users by id", `{users(ids: ["u1", "u2"]) {id}}`, 0, 0, 0, []int{2}},
		{"presences", `{presence(userIds: ["u1", "u2"]) {status onlineSince user{id}}}`, 0, 0, 1, nil},
		{"presences with details", `{presence(userIds: ["u1", "u2"]) {status user{name}}}`, 0, 0, 1, []int{2}},
		{"me without presence", `{me{id}}`, 0, 0, 0, nil},
		{"single users go together", `{me{name presence{status}} a: me{level} b: presence(userIds: ["root"]) {userId}}`, 0, 0, 2, []int{1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t)
			crowd(t, s, 500)
			require.Empty(t, s.do(t, root, tt.document, nil).Errors)
			require.Equal(t, tt.pages, s.service.pages.Load(), "pages")
			require.Equal(t, tt.counts, s.service.counts.Load(), "counts")
			require.Equal(t, tt.presents, s.service.presents.Load(), "presences")
			require.Equal(t, tt.loads, s.directory.loaded())
		})
	}
}
