package resolvers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
	"rollcall/resolvers"
)

const heartbeatDocument = `mutation($input: HeartbeatInput!) {heartbeat(input: $input) {
	outcome session user{id presence{status deviceId}} serverTime expiresAt nextHeartbeatInMs}}`

type heartbeat struct {
	Heartbeat struct {
		Outcome, Session string
		User             struct {
			ID       string
			Presence struct {
				Status   string
				DeviceID string
			}
		}
		ServerTime, ExpiresAt time.Time
		NextHeartbeatInMs     int
	}
}

func TestHeartbeat(t *testing.T) {
	s := newServer(t)
	var first, next, background, taken heartbeat
	s.do(t, ann, heartbeatDocument, variables{"input": variables{"deviceId": "phone"}}).into(t, &first)
	require.Equal(t, "SIGNED_IN", first.Heartbeat.Outcome)
	require.Equal(t, "ann", first.Heartbeat.User.ID)
	require.Equal(t, "ONLINE", first.Heartbeat.User.Presence.Status)
	require.Equal(t, s.clock.Now().Time(), first.Heartbeat.ServerTime)
	require.Equal(t, presence.DefaultTTL, first.Heartbeat.ExpiresAt.Sub(first.Heartbeat.ServerTime))
	require.InDelta(t, 24_000, first.Heartbeat.NextHeartbeatInMs, 2_400)

	s.clock.Advance(24 * time.Second)
	vars := variables{"deviceId": "phone", "session": first.Heartbeat.Session, "active": nil}
	s.do(t, ann, heartbeatDocument, variables{"input": vars}).into(t, &next)
	require.Equal(t, "REFRESHED", next.Heartbeat.Outcome)
	require.Equal(t, first.Heartbeat.Session, next.Heartbeat.Session)
	require.Equal(t, presence.DefaultTTL, next.Heartbeat.ExpiresAt.Sub(next.Heartbeat.ServerTime))

	vars["active"] = false
	s.do(t, ann, heartbeatDocument, variables{"input": vars}).into(t, &background)
	require.Equal(t, presence.DefaultBackgroundTTL, background.Heartbeat.ExpiresAt.Sub(background.Heartbeat.ServerTime))
	require.InDelta(t, 60_000, background.Heartbeat.NextHeartbeatInMs, 6_000)

	s.do(t, ann, heartbeatDocument, variables{"input": variables{"deviceId": "laptop"}}).into(t, &taken)
	require.Equal(t, "REPLACED_OTHER_DEVICE", taken.Heartbeat.Outcome)
	require.Equal(t, "laptop", taken.Heartbeat.User.Presence.DeviceID)
	require.Equal(t, "SESSION_REPLACED", s.do(t, ann, heartbeatDocument, variables{"input": vars}).code(t))
}

func TestExpiredSessionIsResumed(t *testing.T) {
	s := newServer(t)
	token := s.signIn(t, "ann", "phone")
	for range 60 { // a longer gap between sweeps would be taken for an outage, and grace granted
		s.clock.Advance(2 * time.Second)
		s.sweep(t)
	}
	s.do(t, ann, `{onlineCount}`, nil).is(t, `{"onlineCount": 0}`)
	var resumed heartbeat
	s.do(t, ann, heartbeatDocument, variables{"input": variables{"deviceId": "phone", "session": token}}).into(t, &resumed)
	require.Equal(t, "RESUMED", resumed.Heartbeat.Outcome)
}

func TestFieldsAfterAMutationSeeIt(t *testing.T) {
	s := newServer(t)
	s.do(t, ann, `mutation {
		a: heartbeat(input: {deviceId: "phone"}) {user{presence{deviceId}}}
		b: heartbeat(input: {deviceId: "laptop"}) {user{presence{deviceId}}}}`, nil).is(t, `{
		"a": {"user": {"presence": {"deviceId": "phone"}}},
		"b": {"user": {"presence": {"deviceId": "laptop"}}}}`)
}

func TestHeartbeats(t *testing.T) {
	s := newServer(t)
	old := s.signIn(t, "replaced", "phone")
	s.signIn(t, "replaced", "laptop")
	gone := s.signIn(t, "gone", "phone")
	_, err := s.store.End(t.Context(), "gone", 0, presence.Disconnected)
	require.NoError(t, err)

	var got struct {
		Heartbeats struct {
			Accepted int
			Results  []struct {
				UserID         string
				Session, Error *string
			}
		}
	}
	s.do(t, gateway, `mutation($input: [UserHeartbeatInput!]!) {heartbeats(input: $input) {accepted results{userId session error}}}`,
		variables{"input": []variables{
			{"userId": "new", "deviceId": "phone"},
			{"userId": "replaced", "deviceId": "phone", "session": old},
			{"userId": "gone", "deviceId": "phone", "session": gone},
			{"userId": "two words", "deviceId": "phone"},
			{"userId": "idle", "deviceId": "phone", "active": false},
		}}).into(t, &got)
	require.Equal(t, 2, got.Heartbeats.Accepted)
	want := []struct{ user, code string }{
		{"new", ""}, {"replaced", "SESSION_REPLACED"}, {"gone", "SESSION_ENDED"}, {"two words", "BAD_USER_INPUT"}, {"idle", ""},
	}
	require.Len(t, got.Heartbeats.Results, len(want))
	for i, r := range got.Heartbeats.Results {
		require.Equal(t, want[i].user, r.UserID)
		if want[i].code == "" {
			require.Nil(t, r.Error)
			_, err := presence.ParseSessionToken(*r.Session, r.UserID, "phone")
			require.NoError(t, err)
		} else {
			require.Nil(t, r.Session)
			require.Equal(t, want[i].code, *r.Error)
		}
	}
}

// Without the user the answer is plain.
func TestPlainHeartbeatIsAnsweredAsAnyOther(t *testing.T) {
	s := newServer(t)
	vars := variables{"input": variables{"deviceId": "phone", "session": s.signIn(t, "ann", "phone")}}
	answers := func(user string) (heartbeat map[string]any) {
		s.do(t, ann, `mutation($input: HeartbeatInput!, $no: Boolean = false) {heartbeat(input: $input) {
			is: __typename outcome ...times session nextHeartbeatInMs skipped: session @include(if: $no) `+user+`}}
			fragment times on HeartbeatPayload {serverTime until: expiresAt}`, vars).into(t, &struct{ Heartbeat *map[string]any }{&heartbeat})
		require.InDelta(t, 24_000, heartbeat["nextHeartbeatInMs"], 2_400)
		delete(heartbeat, "nextHeartbeatInMs") // is never the same
		return heartbeat
	}
	plain, other := answers(""), answers("user {id}")
	delete(other, "user")
	require.Len(t, plain, 5)
	require.Equal(t, other, plain)
}

// A field that the schema gets must be written, too.
func TestPlainAnswersHaveEveryField(t *testing.T) {
	s := newServer(t)
	fields := func(object string, but ...string) (names string) {
		for _, f := range resolvers.Schema(resolvers.Dependencies{}).Schema().Types[object].Fields {
			if !slices.Contains(but, f.Name) {
				names += f.Name + " "
			}
		}
		return names
	}
	answer := s.do(t, gateway, `mutation {
		heartbeat(input: {deviceId: "phone"}) {`+fields("HeartbeatPayload", "user")+`}
		heartbeats(input: {userId: "ann", deviceId: "phone"}) {`+fields("HeartbeatsPayload", "results")+`results {`+fields("HeartbeatResult")+`}}}`, nil)
	var got struct{ Heartbeat, Heartbeats map[string]any }
	answer.into(t, &got)
	require.Len(t, got.Heartbeat, 5)
	require.Len(t, got.Heartbeats, 2)
}

func TestHeartbeatsAnswerWhatIsSelected(t *testing.T) {
	s := newServer(t)
	const document = `mutation($input: [UserHeartbeatInput!]!, $with: Boolean = true) {
		a: heartbeats(input: $input) {__typename ...results n: accepted results{error @include(if: $with)}}
		b: heartbeats(input: {userId: "bob", deviceId: 7}) {accepted @skip(if: $with)}
	}
	fragment results on HeartbeatsPayload {results{who: userId type: __typename}}`
	s.do(t, gateway, document, variables{"input": []variables{
		{"userId": `a"b\`, "deviceId": "phone"}, {"userId": "a\x01\tb", "deviceId": "phone"}, {"userId": 12, "deviceId": "phone"},
	}}).is(t, `{
		"a": {"__typename": "HeartbeatsPayload", "results": [
			{"who": "a\"b\\", "type": "HeartbeatResult", "error": null},
			{"who": "a\u0001\tb", "type": "HeartbeatResult", "error": "BAD_USER_INPUT"},
			{"who": "12", "type": "HeartbeatResult", "error": null}
		], "n": 2},
		"b": {}}`)
}

func TestGoOffline(t *testing.T) {
	s := newServer(t)
	token := s.signIn(t, "ann", "phone")
	const document = `mutation($input: GoOfflineInput!) {goOffline(input: $input) {ended}}`
	vars := variables{"input": variables{"deviceId": "phone", "session": token}}
	s.do(t, ann, document, vars).is(t, `{"goOffline": {"ended": true}}`)
	s.do(t, ann, document, vars).is(t, `{"goOffline": {"ended": false}}`)
	require.Equal(t, "SESSION_ENDED", s.do(t, ann, heartbeatDocument, vars).code(t), "a beat in flight does not revive it")
	s.do(t, ann, `{onlineCount}`, nil).is(t, `{"onlineCount": 0}`)
}

func TestDisconnectUser(t *testing.T) {
	s := newServer(t)
	token := s.signIn(t, "ann", "phone")
	const document = `mutation($reason: String) {disconnectUser(userId: "ann", reason: $reason) {ended}}`
	s.do(t, root, document, variables{"reason": "spam in room 7"}).is(t, `{"disconnectUser": {"ended": true}}`)
	require.Contains(t, s.log.String(), `user=ann by=root reason="spam in room 7"`)
	s.do(t, root, document, nil).is(t, `{"disconnectUser": {"ended": false}}`)
	require.Equal(t, "SESSION_ENDED", s.do(t, ann, heartbeatDocument,
		variables{"input": variables{"deviceId": "phone", "session": token}}).code(t))
}

func TestRefreshUsers(t *testing.T) {
	s := newServer(t)
	s.directory.put("ann", "Ann", 1)
	s.directory.put("bob", "Bob", 2)
	s.signIn(t, "ann", "phone")
	s.signIn(t, "bob", "phone")
	s.directory.put("ann", "Ann", 3)
	s.do(t, gateway, `mutation{refreshUsers(ids: ["bob", "ann", "bob"])}`, nil).is(t, `{"refreshUsers": 2}`)
	require.Equal(t, [][]string{{"ann", "bob"}}, s.directory.refreshed)
	s.do(t, ann, `{onlineUsers(orderBy: LEVEL_DESC) {nodes{id}}}`, nil).is(t,
		`{"onlineUsers": {"nodes": [{"id": "ann"}, {"id": "bob"}]}}`)
}

// manyBeats are n heartbeats of as many users.
func manyBeats(n int) []variables {
	beats := make([]variables, n)
	for i := range beats {
		beats[i] = variables{"userId": fmt.Sprintf("u%d", i), "deviceId": "phone"}
	}
	return beats
}

// A gateway that writes its heartbeats into the document stays within what a document may have.
func TestHeartbeatsOfAThousandInTheDocument(t *testing.T) {
	s := newServer(t)
	var document strings.Builder
	document.WriteString(`mutation {heartbeats(input: [`)
	for i := range 1000 {
		user := fmt.Sprintf("u%d", i)
		fmt.Fprintf(&document, `{userId: %q, deviceId: "phone", session: %q, active: true} `, user, presence.SessionToken(user, "phone", 1))
	}
	document.WriteString(`]) {accepted results{userId session error}}}`)
	var got struct{ Heartbeats struct{ Accepted int } }
	s.do(t, gateway, document.String(), nil).into(t, &got)
	require.Equal(t, 1000, got.Heartbeats.Accepted)
}

func TestHeartbeatsOfAThousand(t *testing.T) {
	s := newServer(t)
	s.do(t, gateway, `mutation($input: [UserHeartbeatInput!]!) {heartbeats(input: $input) {accepted}}`,
		variables{"input": manyBeats(1000)}).is(t, `{"heartbeats": {"accepted": 1000}}`)
	s.do(t, ann, `{onlineCount}`, nil).is(t, `{"onlineCount": 1000}`)
}
