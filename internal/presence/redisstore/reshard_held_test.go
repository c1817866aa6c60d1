package redisstore

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
	"rollcall/internal/presence/presencetest"
	"rollcall/internal/redistest"
)

// reshardings is a prefix with users, and reshardings of it that a test makes step by step, as if
// their process were stopped in between.
type reshardings struct {
	*Store
	opts  Options
	clock *presencetest.Clock
}

func startReshardings(t *testing.T, users int) reshardings {
	t.Helper()
	clock := presencetest.NewClock()
	opts := Options{
		URL: redistest.Shared(t).URL(), Prefix: redistest.Prefix(t), Shards: 4, Buckets: 64, LevelIndex: true, Now: clock.Now,
		Rules: presence.DefaultRules(),
	}
	s := open(t, opts)
	presencetest.SignIn(t, s, users)
	_, err := s.Tail(t.Context()) // no shard is missing
	require.NoError(t, err)
	return reshardings{s, opts, clock}
}

// begin takes the shards.
func (f reshardings) begin(t *testing.T, to int) *resharding {
	t.Helper()
	s := open(t, f.opts)
	require.NoError(t, s.Check(t.Context()))
	r := &resharding{store: s, id: "stopped", from: s.current(), to: s.newGeneration(newLayout(to, f.opts.Buckets, true))}
	r.copier = newCopier(s, r.id, r.from, r.to, untold)
	require.NoError(t, r.hold(t.Context(), holdFor, true))
	return r
}

func (f reshardings) reshard(t *testing.T, to int, tell func(done, total int)) {
	t.Helper()
	f.opts.Shards = to
	_, err := Reshard(t.Context(), f.opts, tell)
	require.NoError(t, err)
}

// requireOnline also follows a resharding, at the first call.
func (f reshardings) requireOnline(t *testing.T, users int) {
	t.Helper()
	_, _ = f.Tail(t.Context())
	page, err := f.Page(t.Context(), presence.PageRequest{Order: presence.LastActiveDesc})
	require.NoError(t, err)
	require.Equal(t, users, page.Total)
}

// Another one has done the work meanwhile.
func TestReshardStoppedBeforeItCopies(t *testing.T) {
	t.Parallel()
	f := startReshardings(t, 300)
	r := f.begin(t, 8)
	f.clock.Advance(holdFor)
	f.reshard(t, 8, untold)
	_, err := r.prepare(t.Context())
	require.ErrorIs(t, err, ErrHeld)
	require.ErrorIs(t, r.move(t.Context()), ErrHeld)
	r.giveUp(t.Context())
	f.requireOnline(t, 300)
}

// Another one has moved all back meanwhile.
func TestReshardStoppedBeforeItDeletes(t *testing.T) {
	t.Parallel()
	f := startReshardings(t, 300)
	r := f.begin(t, 8)
	_, err := r.prepare(t.Context())
	require.NoError(t, err)
	require.NoError(t, r.move(t.Context()))
	f.reshard(t, 4, func(done, _ int) {
		require.ErrorIs(t, r.clear(t.Context(), r.from), ErrHeld)
	})
	require.ErrorIs(t, r.clear(t.Context(), r.from), ErrHeld)
	f.requireOnline(t, 300)
}

// Another one copies meanwhile what has changed.
func TestReshardStoppedWhileItCopies(t *testing.T) {
	t.Parallel()
	f := startReshardings(t, 1)
	user := "ann"
	results, err := f.Beat(t.Context(), []presence.Beat{{UserID: user, DeviceID: "phone"}})
	require.NoError(t, err)
	r := f.begin(t, 8)
	require.NoError(t, r.claim(t.Context()))
	shard, bucket := r.from.place(user)
	record, err := f.client.HGet(t.Context(), r.from.keys[shard].session[bucket], user).Result()
	require.NoError(t, err)

	f.clock.Advance(holdFor)
	_, err = f.End(t.Context(), user, results[0].Epoch, presence.SignedOut)
	require.NoError(t, err)
	f.reshard(t, 8, func(int, int) {
		shard, bucket := r.to.place(user)
		old := &load{args: append(f.readArgs(r.from, 2), true, r.id)}
		old.args = append(old.args, user, record, old.buckets.add(bucket))
		_, _ = f.run(t.Context(), r.to, f.scripts.copy, []call{r.copier.call(shard, old)})
	})
	f.requireOnline(t, 1)
	results, err = f.Beat(t.Context(), []presence.Beat{{UserID: user, DeviceID: "phone", Epoch: results[0].Epoch}})
	require.NoError(t, err)
	require.ErrorIs(t, results[0].Err, presence.ErrSessionEnded)
}

// Who comes second gives back at once what they could take.
func TestReshardThatCanNotTakeAll(t *testing.T) {
	t.Parallel()
	f := startReshardings(t, 1)
	_, err := f.client.HSet(t.Context(), f.current().keys[3].meta, "resharder", "other", "held", int64(f.clock.Now())+1000).Result()
	require.NoError(t, err)
	f.opts.Shards = 8
	_, err = Reshard(t.Context(), f.opts, untold)
	require.ErrorIs(t, err, ErrHeld)
	for shard, k := range f.current().keys {
		held, err := f.client.HExists(t.Context(), k.meta, "held").Result()
		require.NoError(t, err)
		require.Equal(t, shard == 3, held)
	}
}

// lostAnswers loses the answers to one script, which is run nevertheless.
type lostAnswers struct {
	redis.Hook
	sha string
	n   int // how many are still to be lost
}

func (l *lostAnswers) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if l.n > 0 && cmd.Name() == "evalsha" && cmd.Args()[1] == l.sha && !redis.HasErrorPrefix(err, "NOSCRIPT") ||
			l.n > 0 && cmd.Name() == "eval" && strings.Contains(cmd.Args()[1].(string), "MOVED") {
			l.n--
			err = errors.New("connection reset by peer")
			cmd.SetErr(err)
		}
		return err
	}
}

func (l *lostAnswers) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (l *lostAnswers) DialHook(next redis.DialHook) redis.DialHook { return next }

// The users have been moved, and nobody says so.
func TestReshardWhoseDecisionIsNotHeardOf(t *testing.T) {
	t.Parallel()
	f := startReshardings(t, 300)
	r := f.begin(t, 8)
	require.NoError(t, r.hold(t.Context(), 0, false))
	r.store.client.AddHook(&lostAnswers{sha: r.store.scripts.move.sha, n: 1})
	done, err := r.run(t.Context())
	require.NoError(t, err)
	require.Equal(t, 300, done.Users)
	f.requireOnline(t, 300)
	requireNoKeysOf(t, f.Store, 4)
}

// A copy that Redis has no room for is not left there.
func TestReshardWithoutRoom(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	opts := Options{URL: server.URL(), Prefix: "p", Shards: 4, LevelIndex: true, Rules: presence.DefaultRules()}
	s := open(t, opts)
	presencetest.SignIn(t, s, 20_000)
	used := usedMemory(t, s)
	require.NoError(t, s.client.ConfigSet(t.Context(), "maxmemory", strconv.Itoa(used+used/4)).Err())
	opts.Shards = 8
	_, err := Reshard(t.Context(), opts, untold)
	require.ErrorContains(t, err, "OOM")
	for _, k := range s.newGeneration(newLayout(8, DefaultBuckets, true)).keys {
		n, err := s.client.Exists(t.Context(), k.online, k.level).Result()
		require.NoError(t, err)
		require.Zero(t, n)
	}
	require.NoError(t, s.Check(t.Context()))
	presencetest.SignIn(t, s, 20_000)
}

func usedMemory(t *testing.T, s *Store) int {
	t.Helper()
	info, err := s.client.Info(t.Context(), "memory").Result()
	require.NoError(t, err)
	_, info, _ = strings.Cut(info, "used_memory:")
	text, _, _ := strings.Cut(info, "\r")
	used, err := strconv.Atoi(text)
	require.NoError(t, err)
	return used
}
