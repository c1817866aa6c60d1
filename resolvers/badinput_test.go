package resolvers_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
	"rollcall/internal/server/limit"
)

const (
	badInput   = "BAD_USER_INPUT"
	invalid    = "GRAPHQL_VALIDATION_FAILED"
	unparsable = "GRAPHQL_PARSE_FAILED"
)

// bad is a request that must change nothing.
type bad struct {
	name, document string
	vars           variables
	code           string
}

const (
	beatDocument  = `mutation($input: HeartbeatInput!) {heartbeat(input: $input) {outcome}}`
	beatsDocument = `mutation($input: [UserHeartbeatInput!]!) {heartbeats(input: $input) {accepted}}`
	leaveDocument = `mutation($input: GoOfflineInput!) {goOffline(input: $input) {ended}}`
)

// badDocuments are for gqlgen to refuse, or for its reading of arguments.
var badDocuments = []bad{
	{"no GraphQL", `{me{id}`, nil, unparsable},
	{"no operation", ``, nil, invalid},
	{"too many tokens", `{` + strings.Repeat("onlineCount ", limit.TrustedTokens) + `}`, nil, unparsable},
	{"unknown field", `{me{shoeSize}}`, nil, invalid},
	{"unknown argument", `{onlineUsers(offset: 3) {totalCount}}`, nil, invalid},
	{"literal of a wrong type", `{onlineUsers(first: "x") {totalCount}}`, nil, invalid},
	{"literal null for a non-null", `{user(id: null) {id}}`, nil, invalid},
	{"deferred", `{onlineUsers {totalCount ... @defer {nodes {id}}}}`, nil, invalid},
	{"missing argument", `{user{id}}`, nil, invalid},
	{"unknown enum value", `{onlineUsers(orderBy: SHOE_SIZE) {totalCount}}`, nil, invalid},
	{"missing variable", beatDocument, nil, invalid},
	{"null variable for a non-null", beatDocument, variables{"input": nil}, invalid},
	{"missing input field", beatDocument, variables{"input": variables{}}, invalid},
	{"null input field for a non-null", beatDocument, variables{"input": variables{"deviceId": nil}}, invalid},
	{"unknown input field", beatDocument, variables{"input": variables{"deviceId": "phone", "userId": "bob"}}, invalid},
	{"variable of a wrong type", listDocument, variables{"first": "x"}, invalid},
	{"variable object for a scalar", listDocument, variables{"first": variables{}}, invalid},
	{"digits in a string for an Int", listDocument, variables{"first": "50"}, badInput},
	{"digits in a string for a nested Int", listDocument, variables{"filter": variables{"minLevel": "5"}}, badInput},
	{"fraction for an Int", listDocument, variables{"first": 1.5}, invalid},
	{"fraction for a nested Int", listDocument, variables{"filter": variables{"minLevel": 1.5}}, invalid},
	{"variable beyond 32 bits", listDocument, variables{"first": 3_000_000_000}, badInput},
	{"nested variable beyond 32 bits", listDocument, variables{"filter": variables{"maxLevel": -3_000_000_000}}, badInput},
	{"literal beyond 32 bits", `{onlineUsers(first: 3000000000) {totalCount}}`, nil, badInput},
	{"literal beyond 64 bits", `{onlineUsers(first: 99999999999999999999) {totalCount}}`, nil, invalid},
	{"literal id beyond 64 bits", `{user(id: 99999999999999999999) {id}}`, nil, invalid},
	{"null in place of a default", `query($id: ID = "ann") {user(id: $id) {id}}`, variables{"id": nil}, badInput},
	{"null in place of a nested default", `mutation($d: ID = "a") {heartbeat(input: {deviceId: $d}) {outcome}}`, variables{"d": nil}, badInput},
	{"null in place of a heartbeat", `mutation($b: HeartbeatInput = {deviceId: "a"}) {heartbeat(input: $b) {outcome}}`, variables{"b": nil}, badInput},
	{
		"null in place of one of the heartbeats",
		`mutation($b: UserHeartbeatInput = {userId: "a", deviceId: "a"}) {heartbeats(input: [$b]) {accepted}}`,
		variables{"b": nil},
		badInput,
	},
	{"fraction for an id", beatDocument, variables{"input": variables{"deviceId": 1.5}}, badInput},
	{"number for a Boolean", beatDocument, variables{"input": variables{"deviceId": "phone", "active": 1}}, invalid},
	{"list of lists", `query($ids: [ID!]!) {users(ids: $ids) {id}}`, variables{"ids": []any{[]string{"a"}}}, invalid},
	{"object for an id", `query($ids: [ID!]!) {users(ids: $ids) {id}}`, variables{"ids": []any{variables{"a": 1}}}, invalid},
	{"null among ids", `query($ids: [ID!]!) {users(ids: $ids) {id}}`, variables{"ids": []any{nil}}, invalid},
	{"enum in another case", listDocument, variables{"orderBy": "level_desc"}, badInput},
	{"nested enum in another case", listDocument, variables{"filter": variables{"status": "online"}}, badInput},
	{"history resolution in another case", historyDocument, variables{"from": "2026-03-14T15:00:00Z", "r": "hour"}, badInput},
	{"history without from", historyDocument, nil, invalid},
	{"history from no time", historyDocument, variables{"from": "yesterday"}, badInput},
	{"unknown enum value in a variable", listDocument, variables{"orderBy": "SHOE_SIZE"}, invalid},
}

var badIDs = map[string]string{
	"empty": "", "with a space": "a b", "with a control character": "a\x01b", "with a line break": "a\nb",
	"with a NUL": "a\x00", "of 129 bytes": strings.Repeat("x", 129), "with U+FFFD": "a\uFFFDb",
}

func badArguments(s *server, t *testing.T) []bad {
	token := s.signIn(t, "ann", "phone")
	cases := []bad{
		{"first: 0", `{onlineUsers(first: 0) {totalCount}}`, nil, badInput},
		{"first: 501", `{onlineUsers(first: 501) {nodes{id}}}`, nil, badInput},
		{"first: -1", `{onlineUsers(first: -1) {nodes{id}}}`, nil, badInput},
		{"first: 0 and a cursor", `{onlineUsers(first: 0, after: "x") {totalCount}}`, nil, badInput},

		{"session of another user", beatDocument, beat("phone", presence.SessionToken("bob", "phone", 1)), badInput},
		{"session of another device", beatDocument, beat("laptop", token), badInput},
		{"session truncated", beatDocument, beat("phone", token[:len(token)-1]), badInput},
		{"session empty", beatDocument, beat("phone", ""), badInput},
		{
			"session from the future", beatDocument,
			beat("phone", presence.SessionToken("ann", "phone", presence.Epoch(s.clock.Now().Add(2*time.Minute)))), badInput,
		},
		{"goOffline: session of another user", leaveDocument, beat("phone", presence.SessionToken("bob", "phone", 1)), badInput},
		{"goOffline: session empty", leaveDocument, beat("phone", ""), badInput},

		{"no heartbeats", beatsDocument, variables{"input": []variables{}}, badInput},
		{"1001 heartbeats", beatsDocument, variables{"input": manyBeats(1001)}, badInput},
		{"two heartbeats of one user", beatsDocument, variables{"input": append(manyBeats(2), manyBeats(1)...)}, badInput},

		{"history backwards", historyDocument, variables{"from": "2026-03-14T15:00:00Z", "to": "2026-03-14T14:59:59.999Z"}, badInput},
		{"history of 1501 minutes", historyDocument, variables{"from": "2026-03-13T14:09:00Z", "to": "2026-03-14T15:09:00.001Z"}, badInput},
		{"history of all minutes", historyDocument, variables{"from": "1970-01-01T00:00:00Z"}, badInput},

		{"501 users", `query($ids: [ID!]!) {users(ids: $ids) {id}}`, variables{"ids": tooManyIDs()}, badInput},
		{"501 presences", `query($ids: [ID!]!) {presence(userIds: $ids) {status}}`, variables{"ids": tooManyIDs()}, badInput},
		{"501 refreshed", `mutation($ids: [ID!]!) {refreshUsers(ids: $ids)}`, variables{"ids": tooManyIDs()}, badInput},

		{
			"reason of 257 bytes", `mutation($r: String) {disconnectUser(userId: "ann", reason: $r) {ended}}`,
			variables{"r": strings.Repeat("x", 257)},
			badInput,
		},
		{
			"reason with a line break", `mutation($r: String) {disconnectUser(userId: "ann", reason: $r) {ended}}`,
			variables{"r": "ok\nlevel=ERROR"},
			badInput,
		},
	}
	for name, id := range badIDs {
		vars := variables{"id": id, "ids": []string{"ann", id}}
		cases = append(
			cases,
			bad{"user id " + name, `query($id: ID!) {user(id: $id) {id}}`, vars, badInput},
			bad{"one of the users' ids " + name, `query($ids: [ID!]!) {users(ids: $ids) {id}}`, vars, badInput},
			bad{"one of the presences' ids " + name, `query($ids: [ID!]!) {presence(userIds: $ids) {status}}`, vars, badInput},
			bad{"refreshed id " + name, `mutation($ids: [ID!]!) {refreshUsers(ids: $ids)}`, vars, badInput},
			bad{"disconnected id " + name, `mutation($id: ID!) {disconnectUser(userId: $id) {ended}}`, vars, badInput},
			bad{"goOffline: device id " + name, leaveDocument, beat(id, token), badInput},
		)
		if !strings.Contains(id, " ") { // a device may be named "Alice's phone"
			cases = append(cases, bad{"device id " + name, beatDocument, beat(id, nil), badInput})
		}
	}
	cases = append(cases, bad{"device id of 65 characters", beatDocument, beat(strings.Repeat("é", 65), nil), badInput})
	for name, cursor := range badCursors(s, t) {
		cases = append(cases, bad{"cursor " + name, listDocument, variables{"after": cursor}, badInput})
	}
	return cases
}

func beat(deviceID string, session any) variables {
	return variables{"input": variables{"deviceId": deviceID, "session": session}}
}

func tooManyIDs() []string {
	ids := make([]string, presence.MaxIDs+1)
	for i := range ids {
		ids[i] = fmt.Sprintf("u%d", i)
	}
	return ids
}

func badCursors(s *server, t *testing.T) map[string]string {
	mark := presence.Mark{UserID: "ann", LastActiveAt: s.clock.Now()}
	good := presence.EncodeCursor(presence.LastActiveDesc, presence.Filter{}, mark)
	raw, err := base64.RawURLEncoding.DecodeString(good)
	require.NoError(t, err)
	forged := bytes.Clone(raw)
	forged[len(forged)/2] ^= 1
	future := bytes.Clone(raw[:len(raw)-crc32.Size])
	future[0]++
	future = binary.BigEndian.AppendUint32(future, crc32.ChecksumIEEE(future))
	return map[string]string{
		"empty": "", "of other make": "b2Zmc2V0OjUw",
		"truncated":           good[:len(good)-3],
		"forged":              base64.RawURLEncoding.EncodeToString(forged),
		"of a future version": base64.RawURLEncoding.EncodeToString(future),
		"of another order":    presence.EncodeCursor(presence.LevelDesc, presence.Filter{}, mark),
		"of another filter":   presence.EncodeCursor(presence.LastActiveDesc, presence.Filter{Status: presence.Away}, mark),
		"oversized":           strings.Repeat("A", 5000),
	}
}

// state is all that a client could change.
func (s *server) state(t *testing.T) string {
	t.Helper()
	page, err := s.store.Page(t.Context(), presence.PageRequest{Order: presence.LastActiveDesc, First: presence.MaxFirst})
	require.NoError(t, err)
	var ids []string
	for _, row := range page.Rows {
		ids = append(ids, row.UserID)
	}
	presences, err := s.store.Presences(t.Context(), ids)
	require.NoError(t, err)
	tail, err := s.store.Tail(t.Context())
	require.NoError(t, err)
	s.directory.mu.Lock()
	defer s.directory.mu.Unlock()
	return fmt.Sprint(page.Total, presences, tail, s.directory.refreshed)
}

func TestBadInputIsCodedAndChangesNothing(t *testing.T) {
	s := newServer(t)
	admin := ann // who may do everything, so that nothing but the input is refused
	admin.Role = root.Role
	for _, tt := range append(badArguments(s, t), badDocuments...) {
		t.Run(tt.name, func(t *testing.T) {
			before := s.state(t)
			a := s.do(t, admin, tt.document, tt.vars)
			require.Equal(t, tt.code, a.code(t), a.Errors[0].Message)
			require.Equal(t, before, s.state(t))
		})
	}
	require.Empty(t, s.log.String(), "bad input is nothing to log")
}

func TestBadSubscriptions(t *testing.T) {
	s := newServer(t)
	for _, tt := range []bad{
		{"intervalMs: 999", `subscription{onlineUsersChanged(intervalMs: 999) {totalCount}}`, nil, badInput},
		{"intervalMs: 60001", `subscription{onlineUsersChanged(intervalMs: 60001) {totalCount}}`, nil, badInput},
		{"first: 501", `subscription{onlineUsersChanged(first: 501) {totalCount}}`, nil, badInput},
		{"501 users", deltaDocument, variables{"userIds": tooManyIDs()}, badInput},
		{"user id", deltaDocument, variables{"userIds": []string{"a b"}}, badInput},
		{"since malformed", deltaDocument, variables{"since": "yesterday"}, badInput},
		{"since empty", deltaDocument, variables{"since": ""}, badInput},
		{"device id", `subscription{session(input: {deviceId: ""}) {type}}`, nil, badInput},
		{"two fields", `subscription{onlineCountChanged presenceChanged{cursor}}`, nil, invalid},
		{"null in place of a default", `subscription($d: ID = "a") {session(input: {deviceId: $d}) {type}}`, variables{"d": nil}, badInput},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := s.state(t)
			sub := s.subscribe(t, ann, tt.document, tt.vars)
			require.Equal(t, tt.code, sub.next(t).code(t))
			sub.ended(t)
			require.Equal(t, before, s.state(t))
			require.Eventually(t, func() bool { return s.hub.Subscribers() == 0 }, patience, time.Millisecond)
		})
	}
}

func TestBodyThatIsNoRequest(t *testing.T) {
	s := newServer(t)
	for name, body := range map[string]string{
		"no JSON":           `{me{id}}`,
		"empty":             ``,
		"a batch":           `[{"query": "{me{id}}"}]`,
		"invalid UTF-8":     "{\"query\": \"query($id: ID!) {user(id: $id) {id}}\", \"variables\": {\"id\": \"a\xff\"}}",
		"a lone surrogate":  `{"query": "query($id: ID!) {user(id: $id) {id}}", "variables": {"id": "\ud800"}}`,
		"a number as query": `{"query": 7}`,
	} {
		t.Run(name, func(t *testing.T) {
			before := s.state(t)
			r := request(t, t.Context(), s.url, ann, "", nil)
			r.Body = io.NopCloser(strings.NewReader(body))
			require.Equal(t, badInput, s.serve(t, r).code(t))
			require.Equal(t, before, s.state(t))
		})
	}
}
