package redisstore

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
	"rollcall/internal/presence/presencetest"
	"rollcall/internal/redistest"
)

// Case 16 (docs/cases.md): every call has one slot.
func TestEveryCallHasOneSlot(t *testing.T) {
	t.Parallel()
	s := open(t, Options{LevelIndex: true, Buckets: 64})
	spy := &slotSpy{tags: map[string]bool{}}
	s.client.AddHook(onSend(spy.look))
	s.blocked.AddHook(onSend(spy.look))
	presencetest.SignIn(t, s, 300)
	for name, run := range calls(s) {
		require.NoError(t, run(t.Context()), name)
	}
	_, _, err := s.Follow(t.Context(), 0, presence.EventID{}, 1)
	require.ErrorIs(t, err, presence.ErrTrimmed)
	from := s.current()
	r := &resharding{store: s, id: "test", from: from, to: s.newGeneration(newLayout(8, 64, true))}
	r.copier = newCopier(s, r.id, r.from, r.to, untold)
	_, err = r.run(t.Context())
	require.NoError(t, err)
	require.Empty(t, spy.bad)
	require.GreaterOrEqual(t, len(spy.tags), s.Shards())
}

// slotSpy sees all commands and notes the keys' hash tags.
type slotSpy struct {
	mu   sync.Mutex
	tags map[string]bool
	bad  []string
}

func (s *slotSpy) look(cmds ...redis.Cmder) {
	for _, cmd := range cmds {
		s.lookAt(cmd)
	}
}

func (s *slotSpy) lookAt(cmd redis.Cmder) {
	var keys []string
	args := cmd.Args()
	switch name := cmd.Name(); name {
	case "eval", "evalsha":
		n := args[2].(int)
		for _, key := range args[3 : 3+n] {
			keys = append(keys, key.(string))
		}
	case "xread":
		keys = append(keys, args[len(args)-2].(string))
	case "hget", "hgetall", "hset", "hsetnx", "expire", "xrange":
		keys = append(keys, args[1].(string))
	case "unlink":
		for _, key := range args[1:] {
			keys = append(keys, key.(string))
		}
	case "info", "hello", "client", "pipeline":
	default:
		s.bad = append(s.bad, "a command this test doesn't know: "+name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	tags := map[string]bool{}
	for _, key := range keys {
		tag, _, ok := strings.Cut(key, "}:")
		if !ok || !strings.HasPrefix(tag, "{") {
			s.bad = append(s.bad, "untagged: "+key)
		}
		tags[tag], s.tags[tag] = true, true
	}
	if len(tags) > 1 {
		s.bad = append(s.bad, fmt.Sprint(cmd.Name(), " over ", tags))
	}
}

// Case 17 (docs/cases.md), and an abandoned prefix: every key goes away by itself.
func TestEveryKeyExpires(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	s := open(t, Options{URL: server.URL(), Prefix: "p", LevelIndex: true, Buckets: 64})
	_, err := s.Beat(t.Context(), []presence.Beat{{UserID: "ann", DeviceID: "phone"}})
	require.NoError(t, err)
	requireExpiry(t, server, 5) // meta, events, online, level and session, though nobody has swept
	beats := presencetest.SignIn(t, s, 300)
	requireExpiry(t, server, 4*s.Shards())
	for _, b := range beats[:100] {
		_, err := s.End(t.Context(), b.UserID, b.Epoch, presence.SignedOut)
		require.NoError(t, err)
	}
	presencetest.Sweep(t.Context(), t, s)
	requireExpiry(t, server, 4*s.Shards())
}

// requireExpiry checks that there are so many keys at least, and that none stays for ever.
func requireExpiry(t *testing.T, server *redistest.Server, least int) {
	t.Helper()
	keys, err := server.Client().Keys(t.Context(), "*").Result()
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(keys), least)
	for _, key := range keys {
		ttl, err := server.Client().TTL(t.Context(), key).Result()
		require.NoError(t, err)
		require.Positive(t, ttl, key)
		require.LessOrEqual(t, ttl.Hours(), 72.0, key)
	}
}

func TestAnotherLayoutIsRefused(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	s := open(t, Options{URL: server.URL(), Prefix: "p", Shards: 4})
	require.NoError(t, s.Check(t.Context()))
	_, err := s.Tail(t.Context())
	require.NoError(t, err)
	require.NoError(t, s.Check(t.Context()))
	for _, other := range []Options{
		{URL: server.URL(), Prefix: "p", Shards: 8},
		{URL: server.URL(), Prefix: "p", Shards: 4, Buckets: 64},
		{URL: server.URL(), Prefix: "p", Shards: 4, LevelIndex: true},
	} {
		var log bytes.Buffer
		other.Log = slog.New(slog.NewTextHandler(&log, nil))
		o := open(t, other)
		require.ErrorContains(t, o.Check(t.Context()), "ROLLCALL_SHARDS")
		_, err := o.Sweep(t.Context(), 0)
		require.ErrorContains(t, err, "ROLLCALL_SHARDS", "whoever did not check does no harm")
		var unavailable *presence.UnavailableError
		require.ErrorAs(t, err, &unavailable)
		_, err = o.Sweep(t.Context(), 1)
		require.Error(t, err)
		require.Equal(t, 1, strings.Count(log.String(), "ROLLCALL_SHARDS"), "the log says so, once")
	}
	require.NoError(t, open(t, Options{URL: server.URL(), Prefix: "q", Shards: 8}).Check(t.Context()))
}

func TestOptionsThatCannotBe(t *testing.T) {
	for _, o := range []Options{{URL: "redis://127.0.0.1", Shards: 3}, {URL: "http://127.0.0.1", Shards: 4}, {URL: "", Shards: 4}} {
		_, err := Open(o)
		require.Error(t, err)
	}
}
