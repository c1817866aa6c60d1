package scale

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

const pageSize = 50

// place is a page of a population that is read again and again.
type place struct {
	p     *population
	skip  int            // users before it
	after *presence.Mark // the place behind them
	took  []time.Duration
}

// name says which page of which population it is.
func (p *place) name() string {
	return fmt.Sprintf("page %s at %s online", thousands(p.skip/pageSize+1), thousands(len(p.p.beats)))
}

// measurePages reads four pages in turn: the first and a deep one of both
// populations. The deep one of the few is in the middle of their list: towards its
// end the shards have fewer rows to give, which takes half the time.
func measurePages(t *testing.T, report *table, small, large *population) {
	t.Helper()
	first, deep := newPlace(t, large, 0), newPlace(t, large, deepest(large))
	firstOfFew, deepOfFew := newPlace(t, small, 0), newPlace(t, small, deepest(small))
	places := []*place{firstOfFew, first, deepOfFew, deep}
	rounds := 0
	for began := time.Now(); rounds < 20 || time.Since(began) < 3*large.plan.span; rounds++ {
		for i := range places {
			// Whoever comes after the deepest page is not always the same.
			places[(i+rounds)%len(places)].read(t)
		}
	}
	t.Logf("each page was read %s times", thousands(rounds))
	for _, at := range places {
		report.note(at.name(), fmt.Sprintf("p50 %s, p99 %s; %.1f script calls",
			inMs(percentile(at.took, 50)), inMs(percentile(at.took, 99)), at.calls(t)))
	}
	compare := func(a, b *place, most float64) {
		fast, slow := ratio(a, b, 50), ratio(a, b, 99)
		report.add(fmt.Sprintf("%s over %s", a.name(), b.name()),
			fmt.Sprintf("p50 %.2f, p99 %.2f", fast, slow), fmt.Sprintf("p99 ≤ %.1f", most), slow <= most)
	}
	compare(first, firstOfFew, 1.5)
	compare(deep, deepOfFew, 1.5)
	compare(deep, first, 1.2)
}

// deepest is how many users stand before the 1,000th page, or before the middle
// of a list that is not as long.
func deepest(p *population) int {
	const before = 999
	return pageSize * min(before, len(p.beats)/2/pageSize)
}

// ratio compares a percentile of two places' times.
func ratio(a, b *place, percent float64) float64 {
	return float64(percentile(a.took, percent)) / float64(percentile(b.took, percent))
}

// newPlace walks to the place behind so many users.
func newPlace(t *testing.T, p *population, skip int) *place {
	t.Helper()
	at := &place{p: p, skip: skip}
	for skip > 0 {
		page := p.page(t, min(skip, presence.MaxFirst), at.after)
		skip -= len(page.Rows)
		at.after = page.End
	}
	at.read(t) // the first time is not counted
	at.took = nil
	return at
}

func (p *place) read(t *testing.T) {
	t.Helper()
	began := time.Now()
	page := p.p.page(t, pageSize, p.after)
	p.took = append(p.took, time.Since(began))
	require.Equal(t, p.skip > 0, page.HasPrevious)
	require.Equal(t, p.skip+pageSize < len(p.p.beats), page.HasNext)
	if p.after != nil {
		require.LessOrEqual(t, page.Rows[0].LastActiveAt, p.after.LastActiveAt)
	}
}

// calls is how many scripts a page takes: one for each shard, and more where some
// are asked again since they have more of the page's rows than their share. The sweeps
// meanwhile are among them, a tenth of a call for each page.
func (p *place) calls(t *testing.T) float64 {
	t.Helper()
	const pages = 100
	w := p.p.watchScripts(t)
	for range pages {
		p.read(t)
	}
	return (p.p.watchScripts(t).calls - w.calls) / pages
}

// page is a page whose size, order and total are right.
func (p *population) page(t *testing.T, first int, after *presence.Mark) presence.Page {
	t.Helper()
	page := answer(t, func() (presence.Page, error) {
		return p.store.Page(t.Context(), presence.PageRequest{Order: presence.LastActiveDesc, First: first, After: after})
	})
	require.Equal(t, len(p.beats), page.Total)
	require.Len(t, page.Rows, first)
	for i, row := range page.Rows[1:] {
		before := page.Rows[i]
		require.True(t, before.LastActiveAt > row.LastActiveAt ||
			before.LastActiveAt == row.LastActiveAt && before.UserID > row.UserID, "%v before %v", before, row)
	}
	return page
}
