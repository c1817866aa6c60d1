package scale

import (
	"fmt"
	"testing"
	"time"

	"rollcall/internal/presence"
)

// measureSweeps takes the time that Redis spends on the sweeps' scripts, by INFO
// commandstats (evalsha) over all primaries: first while nobody's lease ends, then while leases
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
	used := idle.used(t, p)
	report.note("sweeping, no lease ends: scripts' time a second, all primaries",
		fmt.Sprintf("%s (%s of CPU with all else)", inMs(used.scripts), inMs(used.cpu)))

	busy := p.watchScripts(t)
	late, _ := w.await(t, ends)
	rate := float64(len(ends)) / time.Since(busy.since).Seconds()
	used = busy.used(t, p)
	report.note(fmt.Sprintf("sweeping, %s leases end a second: scripts' time a second, all primaries", thousands(int(rate))),
		fmt.Sprintf("%s (%s of CPU with all else); %.0f µs an expiry", inMs(used.scripts), inMs(used.cpu),
			float64(used.scripts.Microseconds())/rate))
	slowest := percentile(late, 100)
	report.add(fmt.Sprintf("OFFLINE told after the lease's end, over %s", inSeconds(last.Sub(first))),
		fmt.Sprintf("p50 %s, p99 %s, max %s", inMs(percentile(late, 50)), inMs(percentile(late, 99)), inMs(slowest)),
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
