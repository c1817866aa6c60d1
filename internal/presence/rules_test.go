package presence_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

func TestRulesValidate(t *testing.T) {
	require.NoError(t, presence.DefaultRules().Validate())
	short := presence.Rules{TTL: 100 * time.Millisecond, BackgroundTTL: 100 * time.Millisecond, AwayAfter: 100 * time.Millisecond}
	require.NoError(t, short.Validate())
	for name, spoil := range map[string]func(*presence.Rules){
		"TTL_zero":              func(r *presence.Rules) { r.TTL = 0 },
		"TTL_negative":          func(r *presence.Rules) { r.TTL = -time.Second },
		"TTL_too_short":         func(r *presence.Rules) { r.TTL = 99 * time.Millisecond },
		"TTL_too_long":          func(r *presence.Rules) { r.TTL, r.BackgroundTTL = 8*24*time.Hour, 8*24*time.Hour },
		"background_below_TTL":  func(r *presence.Rules) { r.BackgroundTTL = r.TTL - 1 },
		"background_too_short":  func(r *presence.Rules) { r.BackgroundTTL = 0 },
		"away_after_too_short":  func(r *presence.Rules) { r.AwayAfter = 0 },
		"away_after_a_week_off": func(r *presence.Rules) { r.AwayAfter = presence.SeenFor + 1 },
	} {
		t.Run(name, func(t *testing.T) {
			rules := presence.DefaultRules()
			spoil(&rules)
			require.Error(t, rules.Validate())
		})
	}
}

func TestLeaseByKind(t *testing.T) {
	rules := presence.DefaultRules()
	require.Equal(t, time.Minute, rules.Lease(presence.Active))
	require.Equal(t, time.Minute, rules.Lease(presence.Pong))
	require.Equal(t, 150*time.Second, rules.Lease(presence.Background))
}

func TestGap(t *testing.T) {
	for ttl, want := range map[time.Duration]time.Duration{
		100 * time.Millisecond: time.Second,
		2 * time.Second:        time.Second,
		8 * time.Second:        2 * time.Second,
		20 * time.Second:       5 * time.Second,
		time.Minute:            5 * time.Second,
	} {
		require.Equal(t, want, presence.Rules{TTL: ttl}.Gap(), ttl)
	}
}

// 24 s and 60 s, with a tenth of jitter; even the latest leaves room for a lost beat.
func TestNextBeat(t *testing.T) {
	rules := presence.DefaultRules()
	for kind, want := range map[presence.BeatKind]time.Duration{
		presence.Active: 24 * time.Second, presence.Pong: 24 * time.Second, presence.Background: time.Minute,
	} {
		least, most := time.Hour, time.Duration(0)
		for range 1000 {
			next := rules.NextBeat(kind)
			least, most = min(least, next), max(most, next)
			require.Zero(t, next%time.Millisecond)
		}
		require.GreaterOrEqual(t, least, want*9/10)
		require.LessOrEqual(t, most, want*11/10)
		require.Less(t, least, want*95/100, "it is jittered")
		require.Greater(t, most, want*105/100, "it is jittered")
		require.Less(t, 2*most, rules.Lease(kind))
	}
}

func TestMillis(t *testing.T) {
	at := presence.Millis(1_767_225_600_123)
	require.Equal(t, time.Date(2026, 1, 1, 0, 0, 0, 123e6, time.UTC), at.Time())
	require.Equal(t, at+1500, at.Add(1500*time.Millisecond))
	require.Equal(t, at, at.Add(999*time.Microsecond))
}
