package presence_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/logtest"
	"rollcall/internal/presence"
	"rollcall/internal/presence/memstore"
)

// runNodes runs the history of so many nodes until the returned function is called. Within
// synctest.
func runNodes(store presence.Store, nodes int, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	for range nodes {
		go presence.RunHistory(ctx, store, log)
		time.Sleep(1700 * time.Millisecond) // they are not started together
	}
	return func() { cancel(); synctest.Wait() }
}

func signIn(t *testing.T, store presence.Store, users ...string) {
	t.Helper()
	for _, user := range users {
		_, err := store.Beat(t.Context(), []presence.Beat{{UserID: user, DeviceID: "phone"}})
		require.NoError(t, err)
	}
}

// Two users in the first half of a minute and four in the second are three, by one node
// as by several.
func TestHistoryIsTheSameWithMoreNodes(t *testing.T) {
	for nodes := 1; nodes <= 3; nodes++ {
		t.Run(fmt.Sprint(nodes), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := memstore.New(memstore.Options{})
				stop := runNodes(store, nodes, quiet())
				time.Sleep(time.Until(time.Now().Truncate(time.Minute).Add(time.Minute - time.Millisecond)))
				minute := presence.Millis(time.Now().UnixMilli() + 1)
				signIn(t, store, "ann", "bob")
				time.Sleep(30 * time.Second)
				signIn(t, store, "cid", "dan")
				time.Sleep(30 * time.Second)
				stop()
				points, err := store.OnlineHistory(t.Context(), minute, minute+1, presence.ByMinute)
				require.NoError(t, err)
				require.Equal(t, []presence.OnlinePoint{{At: minute, Peak: 4, Average: 3}}, points)
			})
		})
	}
}

// forgetful is a store whose history fails at will.
type forgetful struct {
	presence.Store
	fails atomic.Bool
	tried atomic.Int64
}

func (f *forgetful) RecordOnline(ctx context.Context, online int) error {
	f.tried.Add(1)
	if f.fails.Load() {
		return errors.New("refused")
	}
	return f.Store.RecordOnline(ctx, online)
}

// A failure is told once, leaves a gap, and harms nothing else.
func TestHistoryTriesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &forgetful{Store: memstore.New(memstore.Options{})}
		log, logged := logtest.New(slog.LevelInfo)
		begun := presence.Millis(time.Now().UnixMilli())
		stop := runNodes(store, 1, log)
		for range 2 {
			store.fails.Store(true)
			time.Sleep(5 * time.Minute)
			signIn(t, store, "ann")
			store.fails.Store(false)
			time.Sleep(5 * time.Minute)
		}
		stop()
		require.Equal(t, 2, logged.Count(slog.LevelWarn), logged)
		require.Equal(t, 2, logged.Count(slog.LevelInfo), logged)
		require.InDelta(t, 20*12, store.tried.Load(), 2)
		points, err := store.OnlineHistory(t.Context(), begun, begun.Add(time.Hour), presence.ByMinute)
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(points), 10)
		require.LessOrEqual(t, len(points), 13)
	})
}

func TestHistoryOfAServiceIsChecked(t *testing.T) {
	s := newService(nil)
	now := s.clock.Now()
	require.NoError(t, s.store.RecordOnline(t.Context(), 3))
	for _, to := range []presence.Millis{now + 1, now.Add(time.Hour)} {
		points, err := s.OnlineHistory(t.Context(), now, &to, presence.ByMinute)
		require.NoError(t, err)
		require.Len(t, points, 1)
	}
	points, err := s.OnlineHistory(t.Context(), now, nil, presence.ByHour)
	require.NoError(t, err)
	require.Len(t, points, 1, "until now")
	points, err = s.OnlineHistory(t.Context(), now.Add(time.Hour), nil, presence.ByHour)
	require.NoError(t, err)
	require.Empty(t, points, "nothing of the future")

	before := now - 1
	_, err = s.OnlineHistory(t.Context(), now, &before, presence.ByMinute)
	requireInvalid(t, err)
	_, err = s.OnlineHistory(t.Context(), 0, nil, presence.ByMinute)
	requireInvalid(t, err)
}
