package resolvers_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
	"rollcall/internal/users"
)

type delta struct {
	PresenceChanged struct {
		Cursor string
		Reset  bool
		Events []struct {
			Type, UserID string
			Reason       *string
			At           time.Time
			User         struct {
				Name     *string
				Presence struct{ Status string }
			}
			Presence struct {
				Status   string
				DeviceID *string
			}
		}
	}
}

const deltaDocument = `subscription($userIds: [ID!], $since: String) {presenceChanged(userIds: $userIds, since: $since) {
	cursor reset events{type userId reason at user{name presence{status}} presence{status deviceId}}}}`

func TestPresenceChanged(t *testing.T) {
	s := newServer(t)
	s.directory.put("ann", "Ann", 1)
	sub := s.subscribe(t, root, deltaDocument, nil)
	var d delta
	sub.next(t).into(t, &d)
	require.Empty(t, d.PresenceChanged.Events, "the first delta comes at once")
	require.False(t, d.PresenceChanged.Reset)
	begin := d.PresenceChanged.Cursor

	token := s.signIn(t, "ann", "phone")
	sub.next(t).into(t, &d)
	require.Len(t, d.PresenceChanged.Events, 1)
	e := d.PresenceChanged.Events[0]
	require.Equal(t, "ONLINE", e.Type)
	require.Equal(t, "ann", e.UserID)
	require.Nil(t, e.Reason)
	require.Equal(t, s.clock.Now().Time(), e.At)
	require.Equal(t, "Ann", *e.User.Name)
	require.Equal(t, "ONLINE", e.User.Presence.Status)
	require.Equal(t, "phone", *e.Presence.DeviceID)

	_, err := s.service.Service.GoOffline(t.Context(), "ann", "phone", token)
	require.NoError(t, err)
	sub.next(t).into(t, &d)
	e = d.PresenceChanged.Events[0]
	require.Equal(t, "OFFLINE", e.Type)
	require.Equal(t, "SIGNED_OUT", *e.Reason)
	require.Equal(t, "OFFLINE", e.Presence.Status)
	require.Nil(t, e.Presence.DeviceID)
	require.Zero(t, s.service.presents.Load(), "events bring their presence along")

	resumed := s.subscribe(t, bob, deltaDocument, variables{"since": begin})
	resumed.next(t).into(t, &d)
	require.Len(t, d.PresenceChanged.Events, 2)
	require.Equal(t, "OFFLINE", d.PresenceChanged.Events[1].Type)
	require.Nil(t, d.PresenceChanged.Events[0].Presence.DeviceID, "bob is neither ann nor an admin")
}

func TestSinceOfAnotherNumberOfShardsIsAReset(t *testing.T) {
	s := newServer(t)
	sub := s.subscribe(t, root, deltaDocument, variables{"since": presence.Position{{Ms: 1}}.Cursor()})
	var d delta
	sub.next(t).into(t, &d)
	require.True(t, d.PresenceChanged.Reset)
}

func TestPresenceChangedOfSomeUsers(t *testing.T) {
	s := newServer(t)
	some := s.subscribe(t, bob, deltaDocument, variables{"userIds": []string{"ann"}})
	none := s.subscribe(t, bob, deltaDocument, variables{"userIds": []string{}})
	some.next(t)
	none.next(t)
	s.signIn(t, "eve", "phone")
	s.signIn(t, "ann", "phone")
	var d delta
	some.next(t).into(t, &d)
	require.Len(t, d.PresenceChanged.Events, 1)
	require.Equal(t, "ann", d.PresenceChanged.Events[0].UserID)
	require.Empty(t, none.answers)
}

// Case 21 (docs/cases.md).
func TestNextEventShowsTheNewName(t *testing.T) {
	s := newServer(t)
	s.directory.put("ann", "Ann", 1)
	sub := s.subscribe(t, bob, deltaDocument, nil)
	sub.next(t)
	for _, name := range []string{"Ann", "Anna"} {
		s.directory.put("ann", name, 1)
		s.signIn(t, "ann", "device-of-"+name)
		var d delta
		sub.next(t).into(t, &d)
		require.Equal(t, name, *d.PresenceChanged.Events[0].User.Name)
	}
}

// Case 31 (docs/cases.md).
func TestErrorInAnEventHasItsFullPath(t *testing.T) {
	s := newServer(t)
	sub := s.subscribe(t, bob, `subscription{changes: presenceChanged{events{user{name}}}}`, nil)
	sub.next(t)
	s.directory.fail(users.ErrUnavailable)
	for range 2 { // each event has its own error
		s.signIn(t, "ann", time.Now().Format(time.RFC3339Nano))
		a := sub.next(t)
		require.Equal(t, "UNAVAILABLE", a.code(t))
		require.Equal(t, []any{"changes", "events", float64(0), "user", "name"}, a.Errors[0].Path)
		require.JSONEq(t, `{"changes": {"events": [{"user": {"name": null}}]}}`, string(a.Data))
	}
}

func TestOnlineUsersChanged(t *testing.T) {
	s := newServer(t)
	s.directory.put("ann", "Ann", 1)
	sub := s.subscribe(t, bob, `subscription{onlineUsersChanged(first: 2, orderBy: LAST_ACTIVE_ASC) {
		totalCount nodes{id name presence{status}} edges{node{level}} pageInfo{hasNextPage}}}`, nil)
	sub.next(t).is(t, `{"onlineUsersChanged": {"totalCount": 0, "nodes": [], "edges": [], "pageInfo": {"hasNextPage": false}}}`)
	s.signIn(t, "ann", "phone")
	sub.next(t).is(t, `{"onlineUsersChanged": {"totalCount": 1, "pageInfo": {"hasNextPage": false},
		"nodes": [{"id": "ann", "name": "Ann", "presence": {"status": "ONLINE"}}], "edges": [{"node": {"level": 1}}]}}`)
	require.Equal(t, []int{1}, s.directory.loaded(), "nodes and edges share one load")

	// Away without any event: nobody sweeps here.
	s.clock.Advance(presence.DefaultAwayAfter)
	sub.next(t).is(t, `{"onlineUsersChanged": {"totalCount": 1, "pageInfo": {"hasNextPage": false},
		"nodes": [{"id": "ann", "name": "Ann", "presence": {"status": "AWAY"}}], "edges": [{"node": {"level": 1}}]}}`)

	pages := s.service.pages.Load()
	require.Eventually(t, func() bool { return s.service.pages.Load() > pages }, patience, 10*time.Millisecond)
	require.Empty(t, sub.answers, "nothing has changed")
}

// What is answered decides, not what the list is made of.
func TestAPageIsToldAgainWheneverItsAnswerChanged(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.directory.put("ann", "Ann", 1)
	s.signIn(t, "ann", "phone")
	sub := s.subscribe(t, root, `subscription{onlineUsersChanged{nodes{name level presence{deviceId}}}}`, nil)
	page := func(name string, level int, device string) string {
		return fmt.Sprintf(`{"onlineUsersChanged": {"nodes": [{"name": %q, "level": %d, "presence": {"deviceId": %q}}]}}`, name, level, device)
	}
	sub.next(t).is(t, page("Ann", 1, "phone"))
	s.directory.put("ann", "Anna", 1)
	sub.next(t).is(t, page("Anna", 1, "phone"))
	s.directory.put("ann", "Anna", 2)
	sub.next(t).is(t, page("Anna", 2, "phone"))
	s.signIn(t, "ann", "laptop")
	sub.next(t).is(t, page("Anna", 2, "laptop"))
}

func TestAPageIsNotToldAgainWhileItsAnswerIsTheSame(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.signIn(t, "ann", "phone")
	sub := s.subscribe(t, bob, `subscription{onlineUsersChanged{nodes{id}}}`, nil)
	sub.next(t).is(t, `{"onlineUsersChanged": {"nodes": [{"id": "ann"}]}}`)
	for range 2 {
		s.clock.Advance(time.Second)
		s.signIn(t, "ann", "phone") // moves her last activity, which is not asked for
		pages := s.service.pages.Load()
		require.Eventually(t, func() bool { return s.service.pages.Load() > pages }, patience, 10*time.Millisecond)
	}
	s.clock.Advance(time.Second)
	s.signIn(t, "eve", "phone")
	sub.next(t).is(t, `{"onlineUsersChanged": {"nodes": [{"id": "eve"}, {"id": "ann"}]}}`)
}

func TestAnErrorInAPageIsToldAndSoIsItsEnd(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.signIn(t, "ann", "phone") // who has no name
	sub := s.subscribe(t, bob, `subscription{onlineUsersChanged{nodes{name}}}`, nil)
	const data = `{"onlineUsersChanged": {"nodes": [{"name": null}]}}`
	sub.next(t).is(t, data)
	s.directory.fail(users.ErrUnavailable)
	failed := sub.next(t)
	require.Equal(t, "UNAVAILABLE", failed.code(t))
	require.JSONEq(t, data, string(failed.Data))
	s.directory.fail(nil)
	sub.next(t).is(t, data) // though the data are the same
	pages := s.service.pages.Load()
	require.Eventually(t, func() bool { return s.service.pages.Load() > pages+1 }, patience, 10*time.Millisecond)
	require.Empty(t, sub.answers)
}

func TestOnlineCountChanged(t *testing.T) {
	s := newServer(t)
	sub := s.subscribe(t, bob, `subscription{onlineCountChanged}`, nil)
	sub.next(t).is(t, `{"onlineCountChanged": 0}`)
	for _, user := range []string{"a", "b", "c"} {
		s.signIn(t, user, "phone")
	}
	sub.next(t).is(t, `{"onlineCountChanged": 3}`)

	counts := s.service.counts.Load()
	s.signIn(t, "a", "laptop") // a takeover: UPDATED
	token := s.signIn(t, "d", "phone")
	_, err := s.service.Service.GoOffline(t.Context(), "d", "phone", token)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return s.service.counts.Load() > counts }, patience, 10*time.Millisecond)
	require.Empty(t, sub.answers, "they came and went: the count is the same")

	s.signIn(t, "e", "phone")
	sub.next(t).is(t, `{"onlineCountChanged": 4}`)
}

func TestSession(t *testing.T) {
	s := newServer(t)
	const document = `subscription{session(input: {deviceId: "phone"}) {type session expiresAt}}`
	type event struct {
		Session struct {
			Type, Session string
			ExpiresAt     *time.Time
		}
	}
	for _, tt := range []struct {
		want string
		end  func()
	}{
		{"REPLACED", func() { s.signIn(t, "ann", "laptop") }},
		{"ENDED", func() {
			_, err := s.service.Service.Disconnect(t.Context(), "ann")
			require.NoError(t, err)
		}},
	} {
		t.Run(tt.want, func(t *testing.T) {
			sub := s.subscribe(t, ann, document, nil)
			var started, last event
			sub.next(t).into(t, &started)
			require.Equal(t, "STARTED", started.Session.Type)
			require.Equal(t, s.clock.Now().Add(presence.DefaultTTL).Time(), *started.Session.ExpiresAt)
			tt.end()
			sub.next(t).into(t, &last)
			require.Equal(t, tt.want, last.Session.Type)
			require.Equal(t, started.Session.Session, last.Session.Session)
			require.Nil(t, last.Session.ExpiresAt)
			sub.ended(t)
		})
	}
}

func TestSessionNeedsPings(t *testing.T) {
	s := newServer(t)
	s.pulse = nil
	sub := s.subscribe(t, ann, `subscription{session(input: {deviceId: "phone"}) {type}}`, nil)
	require.Equal(t, "BAD_USER_INPUT", sub.next(t).code(t))
	sub.ended(t)
}

func TestFailingSourceEndsASubscriptionWithOneError(t *testing.T) {
	unavailable := &presence.UnavailableError{RetryAfter: 700 * time.Millisecond, Cause: errors.New("connection refused")}
	for _, tt := range []struct {
		name, document string
		breaks         func(t *testing.T, s *server)
		code           string
	}{
		{"feed stopped", `subscription{presenceChanged{reset}}`, func(_ *testing.T, s *server) { s.hub.Stop() }, "UNAVAILABLE"},
		{"keeper stopped", `subscription{session(input: {deviceId: "phone"}) {type}}`, func(_ *testing.T, s *server) { s.hub.Stop() }, "UNAVAILABLE"},
		{"page unavailable", `subscription{onlineUsersChanged{nodes{id}}}`, func(_ *testing.T, s *server) { s.service.fail(unavailable) }, "UNAVAILABLE"},
		{"count unavailable", `subscription{onlineCountChanged}`, func(t *testing.T, s *server) {
			s.service.fail(unavailable)
			s.signIn(t, "bob", "phone")
		}, "UNAVAILABLE"},
		{"a defect", `subscription{onlineUsersChanged{totalCount}}`, func(_ *testing.T, s *server) { s.service.fail(errors.New("secret")) }, "INTERNAL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t)
			sub := s.subscribe(t, ann, tt.document, nil)
			require.Empty(t, sub.next(t).Errors)
			tt.breaks(t, s)
			last := sub.next(t)
			require.Equal(t, tt.code, last.code(t))
			require.Equal(t, "null", string(last.Data))
			require.Len(t, last.Errors[0].Path, 1)
			sub.ended(t)
		})
	}
}

func TestSubscriptionRefusedAtTheStart(t *testing.T) {
	s := newServer(t)
	s.service.fail(&presence.UnavailableError{RetryAfter: time.Second, Cause: errors.New("connection refused")})
	for _, document := range []string{
		`subscription{onlineUsersChanged{totalCount}}`, `subscription{onlineCountChanged}`,
	} {
		sub := s.subscribe(t, ann, document, nil)
		require.Equal(t, "UNAVAILABLE", sub.next(t).code(t))
		sub.ended(t)
	}
	require.Eventually(t, func() bool { return s.hub.Subscribers() == 0 }, patience, time.Millisecond)
}

func TestSubscribersLeave(t *testing.T) {
	s := newServer(t)
	for _, document := range []string{
		`subscription{presenceChanged{cursor}}`, `subscription{onlineUsersChanged{totalCount}}`,
		`subscription{onlineCountChanged}`, `subscription{session(input: {deviceId: "phone"}) {type}}`,
	} {
		sub := s.subscribe(t, ann, document, nil)
		sub.next(t)
		sub.stop()
	}
	require.Eventually(t, func() bool { return s.hub.Subscribers() == 0 }, patience, time.Millisecond)
}
