package presence_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// heard is a store that notes what a node says of its subscribers.
type heard struct {
	presence.Store
	said []int
}

func (h *heard) Subscribers(ctx context.Context, own int) (int, error) {
	h.said = append(h.said, own)
	return own, ctx.Err()
}

func TestANodeSaysHowManySubscribersItHas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, n := new(heard), 0
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			presence.RunRoster(ctx, store, func() int { n++; return n })
		}()
		time.Sleep(2*presence.RosterEvery + time.Millisecond)
		cancel()
		<-done
		require.Equal(t, []int{1, 2, 3, 0}, store.said)
	})
}
