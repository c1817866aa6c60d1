package resolvers_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"

	"rollcall/graph"
	"rollcall/internal/auth"
)

// calls has a valid call of each field of the root types.
var calls = map[string]string{
	"Query.me":                        `{me{id}}`,
	"Query.user":                      `{user(id: "ann") {id}}`,
	"Query.users":                     `{users(ids: ["ann"]) {id}}`,
	"Query.presence":                  `{presence(userIds: ["ann"]) {status}}`,
	"Query.onlineUsers":               `{onlineUsers{totalCount}}`,
	"Query.onlineCount":               `{onlineCount}`,
	"Query.cluster":                   `{cluster{online}}`,
	"Query.onlineHistory":             `{onlineHistory(from: "2026-03-14T15:00:00Z") {at}}`,
	"Mutation.heartbeat":              `mutation{heartbeat(input: {deviceId: "phone"}) {outcome}}`,
	"Mutation.heartbeats":             `mutation{heartbeats(input: [{userId: "eve", deviceId: "phone"}]) {accepted}}`,
	"Mutation.goOffline":              `mutation{goOffline(input: {deviceId: "phone", session: "x"}) {ended}}`,
	"Mutation.disconnectUser":         `mutation{disconnectUser(userId: "eve") {ended}}`,
	"Mutation.refreshUsers":           `mutation{refreshUsers(ids: ["eve"])}`,
	"Subscription.presenceChanged":    `subscription{presenceChanged{cursor}}`,
	"Subscription.onlineUsersChanged": `subscription{onlineUsersChanged{totalCount}}`,
	"Subscription.onlineCountChanged": `subscription{onlineCountChanged}`,
	"Subscription.session":            `subscription{session(input: {deviceId: "phone"}) {type}}`,
}

// allowed has the fields that not every role may call.
var allowed = map[string][]auth.Role{
	"Query.cluster":           {auth.Admin},
	"Query.onlineHistory":     {auth.Admin},
	"Mutation.heartbeats":     {auth.Service, auth.Admin},
	"Mutation.disconnectUser": {auth.Admin},
	"Mutation.refreshUsers":   {auth.Service, auth.Admin},
}

func TestAuthorisation(t *testing.T) {
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	for _, object := range []*ast.Definition{schema.Query, schema.Mutation, schema.Subscription} {
		for _, field := range object.Fields {
			if field.Name == "__schema" || field.Name == "__type" {
				continue
			}
			name := object.Name + "." + field.Name
			require.Contains(t, calls, name)
			for _, caller := range []auth.Caller{nobody, ann, gateway, root} {
				t.Run(name+" "+string(caller.Role), func(t *testing.T) {
					s := newServer(t)
					s.signIn(t, "eve", "laptop")
					var a answer
					if object == schema.Subscription {
						sub := s.subscribe(t, caller, calls[name], nil)
						a = sub.next(t)
						if len(a.Errors) > 0 {
							sub.ended(t)
						}
					} else {
						a = s.do(t, caller, calls[name], nil)
					}
					roles, restricted := allowed[name]
					switch {
					case caller == nobody:
						require.Equal(t, "UNAUTHENTICATED", a.code(t))
					case restricted && !slices.Contains(roles, caller.Role):
						require.Equal(t, "FORBIDDEN", a.code(t))
					case name == "Mutation.goOffline":
						require.Equal(t, "BAD_USER_INPUT", a.code(t), "of the token")
					default:
						require.Empty(t, a.Errors)
						return
					}
					require.Contains(t, []string{"null", `{"user":null}`}, string(a.Data))
					eve, err := s.store.Presences(t.Context(), []string{"eve"})
					require.NoError(t, err)
					require.Equal(t, "laptop", eve[0].DeviceID, "nothing has changed")
					require.Empty(t, s.directory.refreshed)
					require.Zero(t, s.hub.Subscribers())
				})
			}
		}
	}
}

func TestHeartbeatIsTheCallers(t *testing.T) {
	s := newServer(t)
	token := s.signIn(t, "bob", "phone")
	s.do(t, ann, `mutation{heartbeat(input: {deviceId: "phone"}) {user{id}}}`, nil).is(t, `{"heartbeat": {"user": {"id": "ann"}}}`)
	beat := s.do(t, ann, heartbeatDocument, variables{"input": variables{"deviceId": "phone", "session": token}})
	require.Equal(t, "BAD_USER_INPUT", beat.code(t))
}
