package sse

import (
	"bufio"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/auth"
)

func TestLiveAnswersComeInOrderAndTheEndIsLast(t *testing.T) {
	f := serve(t, Config{}, auth.Caller{ID: "ann"})
	first, second := f.post(t, `subscription { news }`), f.post(t, `subscription { news }`)
	require.Eventually(t, func() bool { return f.schema.News.Readers() == 2 }, patience, time.Millisecond)
	const n = 500
	for i := range n {
		f.schema.News.Publish(fmt.Sprint(i))
	}
	f.schema.News.End()
	for _, stream := range []*bufio.Reader{first, second} {
		require.Equal(t, comment, event(t, stream))
		for i := range n {
			require.Equal(t, next(fmt.Sprintf(`{"data":{"news":"%d for everybody"}}`, i)), event(t, stream))
		}
		require.Contains(t, event(t, stream), `"errors":[`)
		require.Equal(t, complete, event(t, stream))
		require.Empty(t, rest(t, stream))
	}
	require.EqualValues(t, n, f.schema.Events(), "made once for both")
	require.Eventually(t, func() bool { return f.schema.News.Readers() == 0 }, patience, time.Millisecond)
}
