package scale

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// measureSweeps takes the time that Redis spends on the sweeps' scripts, by INFO
// commandstats over all primaries: first while nobody's lease ends, then while leases
// end at a steady rate. No other script runs meanwhile.
func measureSweeps(t *testing.T, report *table, p *population, w *witness) {
	t.Helper()
	const most = time.Second
	beats := p.beats[:p.plan.expiring()]
	ends := p.endLeases(t, beats, time.Duration(len(beats))*time.Second/time.Duration(p.plan.expiriesPerSecond()))
	w.expect(ends)
	first, last := extremes(ends)

	idle := p.watchScripts(t)
	sleepUntil(t, first)
	perSecond, busiest := idle.used(t, p)
	report.note("sweeping, no lease ends: Redis time a second, all primaries",
		fmt.Sprintf("%s, the busiest %s", ms(perSecond), ms(busiest)))

	busy := p.watchScripts(t)
	late, _ := w.await(t, ends)
	rate := float64(len(ends)) / time.Since(busy.since).Seconds()
	perSecond, busiest = busy.used(t, p)
	report.note(fmt.Sprintf("sweeping, %s leases end a second: Redis time a second, all primaries", thousands(int(rate))),
		fmt.Sprintf("%s, the busiest %s; %.0f µs an expiry", ms(perSecond), ms(busiest),
			float64(perSecond.Microseconds())/rate))
	slowest := percentile(late, 100)
	report.add(fmt.Sprintf("OFFLINE told after the lease's end, over %s", seconds(last.Sub(first))),
		fmt.Sprintf("p50 %s, p99 %s, max %s", ms(percentile(late, 50)), ms(percentile(late, 99)), ms(slowest)),
		fmt.Sprintf("max ≤ %v", most), slowest <= most)
}

// extremes are the first and the last end.
func extremes(ends map[string]presence.Millis) (first, last time.Time) {
	for _, end := range ends {
		if at := end.Time(); first.IsZero() || at.Before(first) {
			first = at
		}
		if at := end.Time(); at.After(last) {
			last = at
		}
	}
	return first, last
}

// scriptTime is the time that scripts had taken when the watch began, by server.
type scriptTime struct {
	since time.Time
	taken []time.Duration
}

func (p *population) watchScripts(t *testing.T) scriptTime {
	t.Helper()
	s := scriptTime{since: time.Now()}
	for _, server := range p.servers {
		stats, err := server.InfoMap(t.Context(), "commandstats").Result()
		require.NoError(t, err)
		_, usec, found := strings.Cut(stats["Commandstats"]["cmdstat_evalsha"], "usec=")
		require.True(t, found)
		var n int64
		_, err = fmt.Sscanf(usec, "%d,", &n)
		require.NoError(t, err)
		s.taken = append(s.taken, time.Duration(n)*time.Microsecond)
	}
	return s
}

// used is the scripts' time for each second of the watch, of all servers and of the busiest.
func (s scriptTime) used(t *testing.T, p *population) (all, busiest time.Duration) {
	t.Helper()
	now := p.watchScripts(t)
	elapsed := now.since.Sub(s.since).Seconds()
	for i := range s.taken {
		used := time.Duration(float64(now.taken[i]-s.taken[i]) / elapsed)
		all += used
		busiest = max(busiest, used)
	}
	return all, busiest
}
