package scale

import (
	"fmt"
	"testing"
	"time"
)

// measureStorm lets a tenth of the users go within a second, while others beat.
func measureStorm(t *testing.T, report *table, p *population, w *witness) {
	t.Helper()
	const (
		within    = time.Second
		mostDelay = 5 * time.Second
		mostBeat  = 100 * time.Millisecond
	)
	from := p.plan.expiring()
	ends := p.endLeases(t, p.beats[from:from+p.plan.stormed()], within)
	w.expect(ends)
	from += p.plan.stormed()
	others := p.beats[from : from+p.plan.beating()]

	first, last := extremes(ends)
	calm := first.Add(-min(p.plan.ttl/2, 10*time.Second))
	sleepUntil(t, calm)
	beating := startLoad(t, p, others, time.Second, 1)
	late, told := w.await(t, ends)
	beating.end(t)

	name := fmt.Sprintf("storm, %s leases end within %s", thousands(len(ends)), inSeconds(last.Sub(first)))
	after := told.Sub(last)
	report.add(name+": all told after the last one's end",
		inSeconds(after), fmt.Sprintf("≤ %v", mostDelay), after <= mostDelay)
	report.note(name+": each told after its end",
		fmt.Sprintf("p50 %s, p99 %s", inSeconds(percentile(late, 50)), inSeconds(percentile(late, 99))))
	before, during := beating.between(calm, first), beating.between(first, told)
	t.Logf("%s heartbeats before the storm, %s in it", thousands(len(before)), thousands(len(during)))
	slowest := percentile(during, 99)
	report.add(fmt.Sprintf("storm: heartbeats meanwhile, %s/s", thousands(len(others))),
		fmt.Sprintf("p50 %s, p99 %s", inMs(percentile(during, 50)), inMs(slowest)), fmt.Sprintf("p99 < %v", mostBeat), slowest < mostBeat)
	report.note("the same before the storm",
		fmt.Sprintf("p50 %s, p99 %s", inMs(percentile(before, 50)), inMs(percentile(before, 99))))
}
