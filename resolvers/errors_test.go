package resolvers_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/auth"
	"rollcall/internal/presence"
	"rollcall/internal/users"
)

func TestCodeOfEachError(t *testing.T) {
	unavailable := &presence.UnavailableError{RetryAfter: 700 * time.Millisecond, Cause: errors.New("dial 10.0.0.7: refused")}
	for _, tt := range []struct {
		err     error
		code    string
		message string
		retry   int
		logged  string // empty: nothing is
	}{
		{err: presence.Invalid("no such thing"), code: "BAD_USER_INPUT", message: "no such thing"},
		{err: presence.ErrEpochAhead, code: "BAD_USER_INPUT", message: "the session token is from the future"},
		{err: presence.ErrSessionReplaced, code: "SESSION_REPLACED", message: "the session was replaced by a newer sign-in"},
		{err: presence.ErrSessionEnded, code: "SESSION_ENDED", message: "the session has ended"},
		{err: auth.ErrUnauthenticated, code: "UNAUTHENTICATED", message: "not authenticated"},
		{err: &auth.Refusal{Reason: "the token has expired"}, code: "UNAUTHENTICATED", message: "not authenticated: the token has expired"},
		{err: auth.ErrForbidden, code: "FORBIDDEN", message: "not allowed"},
		{err: unavailable, code: "UNAVAILABLE", message: "the presence store is unavailable", retry: 700},
		{err: users.ErrUnavailable, code: "UNAVAILABLE", message: "user details are unavailable", retry: 1000},
		{err: &presence.RateLimitedError{Message: "slower", RetryAfter: 2 * time.Second}, code: "RATE_LIMITED", message: "slower", retry: 2000},
		{err: context.DeadlineExceeded, code: "UNAVAILABLE", message: "the request was given up before it was answered", retry: 1000},
		{err: context.Canceled, code: "UNAVAILABLE", message: "the request was given up before it was answered", retry: 1000},
		{err: errors.New("secret"), code: "INTERNAL", message: "internal error", logged: "secret"},
	} {
		t.Run(tt.err.Error(), func(t *testing.T) {
			s := newServer(t)
			s.service.fail(fmt.Errorf("dial 10.0.0.7: %w", tt.err))
			a := s.do(t, ann, `{onlineCount}`, nil)
			require.Equal(t, tt.code, a.code(t))
			require.Equal(t, tt.message, a.Errors[0].Message, "and nothing of what wraps it")
			require.Equal(t, tt.retry, a.Errors[0].Extensions.RetryAfterMs)
			require.Equal(t, []any{"onlineCount"}, a.Errors[0].Path)
			require.Equal(t, "null", string(a.Data))
			if tt.logged == "" {
				require.Empty(t, s.log.String())
				return
			}
			require.Contains(t, s.log.String(), tt.logged)
			if tt.code == "INTERNAL" {
				require.NotEmpty(t, a.Errors[0].Extensions.ID)
				require.Contains(t, s.log.String(), "id="+a.Errors[0].Extensions.ID)
			}
		})
	}
}

func TestCallerWhoLeftIsNoInternalError(t *testing.T) {
	s := newServer(t)
	ctx, leave := context.WithCancel(t.Context())
	s.service.onCount = leave
	s.service.fail(errors.New("driver: closed"))
	a := s.serve(t, request(t, ctx, s.url, ann, `{onlineCount}`, nil))
	require.Equal(t, "UNAVAILABLE", a.code(t))
	require.Empty(t, s.log.String())
}

func TestPanicIsInternal(t *testing.T) {
	s := newServer(t)
	s.service.panics.Store(true)
	a := s.do(t, root, `{cluster{online}}`, nil)
	require.Equal(t, "INTERNAL", a.code(t))
	require.Equal(t, "internal error", a.Errors[0].Message)
	require.Contains(t, s.log.String(), "id="+a.Errors[0].Extensions.ID)
	require.Contains(t, s.log.String(), "a defect at")
	require.Contains(t, s.log.String(), "fakes_test.go", "with its stack")
}

func TestFailingDirectoryIsOneErrorAPage(t *testing.T) {
	s := newServer(t)
	crowd(t, s, 50)
	s.directory.fail(users.ErrUnavailable)
	a := s.do(t, ann, `{onlineUsers(first: 50) {totalCount nodes{id name avatarUrl level presence{status}} edges{node{name}}}}`, nil)
	require.Equal(t, "UNAVAILABLE", a.code(t))
	require.Subset(t, []any{"onlineUsers", "nodes", "edges", "node", "name", "avatarUrl", "level"}, without(a.Errors[0].Path, 2))
	var got struct {
		OnlineUsers struct {
			TotalCount int
			Nodes      []struct {
				ID              string
				Name, AvatarURL *string
				Level           *int
				Presence        struct{ Status string }
			}
		}
	}
	a.Errors = nil
	a.into(t, &got)
	require.Equal(t, 50, got.OnlineUsers.TotalCount)
	require.Len(t, got.OnlineUsers.Nodes, 50)
	for _, n := range got.OnlineUsers.Nodes {
		require.NotEmpty(t, n.ID)
		require.Nil(t, n.Name)
		require.Nil(t, n.AvatarURL)
		require.Nil(t, n.Level)
		require.Equal(t, "ONLINE", n.Presence.Status)
	}
}

// without is path but for its i-th step.
func without(path []any, i int) []any {
	return append(append([]any{}, path[:i]...), path[i+1:]...)
}

func TestFailingDirectoryFailsNothingElse(t *testing.T) {
	s := newServer(t)
	s.directory.fail(users.ErrUnavailable)
	var beat heartbeat
	s.do(t, ann, heartbeatDocument, variables{"input": variables{"deviceId": "phone"}}).into(t, &beat)
	s.do(t, ann, `{onlineCount presence(userIds: ["ann"]) {status} onlineUsers{nodes{id presence{status}}}}`, nil).is(t, `{
		"onlineCount": 1, "presence": [{"status": "ONLINE"}],
		"onlineUsers": {"nodes": [{"id": "ann", "presence": {"status": "ONLINE"}}]}}`)

	a := s.do(t, ann, `{users(ids: ["ann", "ghost"]) {id name presence{status}}}`, nil)
	require.Equal(t, "UNAVAILABLE", a.code(t))
	require.JSONEq(t, `{"users": [{"id": "ann", "name": null, "presence": {"status": "ONLINE"}},
		{"id": "ghost", "name": null, "presence": {"status": "OFFLINE"}}]}`, string(a.Data), "nobody is called unknown")

	require.Equal(t, "UNAVAILABLE", s.do(t, gateway, `mutation{refreshUsers(ids: ["ann"])}`, nil).code(t))
}

func TestStoreFailingBehindAPageIsOneError(t *testing.T) {
	s := newServer(t)
	crowd(t, s, 10)
	s.service.failPresences.Store(true)
	a := s.do(t, ann, `{onlineUsers{nodes{id presence{onlineSince}}}}`, nil)
	require.Equal(t, "UNAVAILABLE", a.code(t))
	require.Equal(t, []any{"onlineUsers", "nodes"}, a.Errors[0].Path)
}
