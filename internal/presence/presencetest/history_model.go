package presencetest

import (
	"context"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"rollcall/internal/presence"
)

// HistoryModel records the same random samples in two empty stores on one clock, which now
// and then is set back, and compares what they answer.
func HistoryModel(t *rapid.T, a, b Fixture) {
	require.Same(t, a.Clock, b.Clock)
	ctx := context.Background()
	steps := []time.Duration{
		-time.Minute, -time.Second, 0, time.Millisecond, time.Second, presence.SampleEvery, 40 * time.Second, time.Hour, presence.HistoryFor,
	}
	t.Repeat(map[string]func(*rapid.T){
		"wait": func(t *rapid.T) { a.Clock.Advance(rapid.SampledFrom(steps).Draw(t, "step")) },
		"record": func(t *rapid.T) {
			online := rapid.IntRange(0, 1000).Draw(t, "online")
			require.NoError(t, a.Store.RecordOnline(ctx, online))
			require.NoError(t, b.Store.RecordOnline(ctx, online))
		},
		"": func(t *rapid.T) {
			to := a.Clock.Now().Add(rapid.SampledFrom(steps).Draw(t, "to"))
			from := to.Add(-time.Duration(rapid.IntRange(0, 1600).Draw(t, "minutes")) * time.Minute)
			for _, r := range []presence.Resolution{presence.ByMinute, presence.ByHour} {
				of, errOf := a.Store.OnlineHistory(ctx, from, to, r)
				as, errAs := b.Store.OnlineHistory(ctx, from, to, r)
				require.Equal(t, errOf, errAs)
				require.Equal(t, of, as)
			}
		},
	})
}
