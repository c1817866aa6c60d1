package presence_test

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
	"rollcall/internal/presence/memstore"
)

// failingLevels fail until they are mended.
type failingLevels struct{ mended atomic.Bool }

func (f *failingLevels) Levels(_ context.Context, userIDs []string) (map[string]int, error) {
	if !f.mended.Load() {
		return nil, errors.New("no database")
	}
	levels := make(map[string]int)
	for _, id := range userIDs {
		levels[id] = 7
	}
	return levels, nil
}

// Who came while the directory failed gets their level when it is back.
func TestLevelsThatWereOwedAreGiven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		levels := &failingLevels{}
		store := memstore.New(memstore.Options{Shards: 1, Rules: presence.DefaultRules(), LevelIndex: true})
		s := presence.NewService(store, presence.DefaultRules(), levels, slog.New(slog.DiscardHandler))
		ctx, stop := context.WithCancel(t.Context())
		go s.Run(ctx)
		defer synctest.Wait()
		defer stop()
		for _, user := range []string{"ann", "bob"} {
			_, err := s.Heartbeat(ctx, presence.Heartbeat{UserID: user, DeviceID: "phone"})
			require.NoError(t, err)
		}
		seven := 7
		total := func() int {
			n, err := s.Total(ctx, presence.PageRequest{
				Order: presence.LastActiveDesc, First: 1, Filter: presence.NewFilter("", &seven, &seven),
			})
			require.NoError(t, err)
			return n
		}
		time.Sleep(3 * time.Second) // of the bubble's time
		require.Zero(t, total())
		levels.mended.Store(true)
		time.Sleep(2 * time.Second)
		require.Equal(t, 2, total())
	})
}
