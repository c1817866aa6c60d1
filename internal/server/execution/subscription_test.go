package execution

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"unique"

	"github.com/stretchr/testify/require"

	"rollcall/internal/live"
)

// memos is a source of items.
type memos []*live.Memo

func (m *memos) Poll() (live.Item, error) {
	if len(*m) == 0 {
		return nil, nil
	}
	item := (*m)[0]
	*m = (*m)[1:]
	return item, nil
}

func (*memos) Close() {}

// Events that come while an answer is being made, which may take long, do not make it be awaited once for each.
func TestAnAnswerThatIsBeingMadeIsAwaitedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		made := make(chan struct{})
		var notified atomic.Int64
		source := &memos{new(live.Memo), new(live.Memo)}
		s := newSubscription(&live.Subscription{Source: source}, unique.Make("key"), func() { notified.Add(1) })
		s.answer = func() []byte { <-made; return []byte("answer") }
		for range 2 {
			for range 1000 {
				payload, ended := s.Take()
				require.Nil(t, payload)
				require.False(t, ended)
			}
			made <- struct{}{}
			synctest.Wait()
			require.EqualValues(t, 1, notified.Swap(0))
			payload, _ := s.Take()
			require.Equal(t, "answer", string(payload))
		}
	})
}
