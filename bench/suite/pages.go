package suite

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"rollcall/bench/figure"
	"rollcall/bench/load"
	"rollcall/internal/presence"
)

const (
	pageSize = 50
	// deepPage is the page that is compared with the first; of a list that is shorter, the one in
	// its middle.
	deepPage = 1_000
	// pagesPerSecond is the pages that are read, all places together.
	pagesPerSecond = 400
)

// place is a page of a population that is read again and again.
type place struct {
	name  string
	p     *population
	skip  int            // users before it
	after *presence.Mark // the place behind them
}

// newPlace walks to a page, of which the first is 1.
func (p *population) newPlace(ctx context.Context, page int) (*place, error) {
	page = min(page, max(1, len(p.beats)/2/pageSize))
	at := &place{name: fmt.Sprintf("page %d of %s", page, p.title()), p: p, skip: (page - 1) * pageSize}
	for skipped := 0; skipped < at.skip; {
		page, err := p.store.Page(ctx, presence.PageRequest{
			Order: presence.LastActiveDesc, First: min(presence.MaxFirst, at.skip-skipped), After: at.after,
		})
		if err != nil {
			return nil, err
		}
		skipped, at.after = skipped+len(page.Rows), page.End
	}
	return at, nil
}

// read reads the page, and says what is wrong with it.
func (at *place) read(ctx context.Context) error {
	page, err := at.p.store.Page(ctx, presence.PageRequest{Order: presence.LastActiveDesc, First: pageSize, After: at.after})
	if err != nil {
		return err
	}
	if len(page.Rows) != pageSize || page.Total != len(at.p.beats) || page.HasPrevious != (at.skip > 0) || !page.HasNext {
		return fmt.Errorf("%s: %d rows of %d, previous %v, next %v", at.name, len(page.Rows), page.Total, page.HasPrevious, page.HasNext)
	}
	return nil
}

// measurePages reads the first and a deep page of each population at a steady rate, one
// place after the other, so that what disturbs one disturbs all.
func (r *Run) measurePages(ctx context.Context, populations ...*population) error {
	var first, deep []*place
	for _, p := range populations {
		at, err := p.newPlace(ctx, 1)
		if err != nil {
			return err
		}
		first = append(first, at)
		if at, err = p.newPlace(ctx, deepPage); err != nil {
			return err
		}
		deep = append(deep, at)
	}
	places := append(first[:len(first):len(first)], deep...)
	got := map[*place]map[metric]figure.Series{}
	for repetition := range r.Sizes.Repetitions + 1 {
		took, err := readSteadily(ctx, places, 2*r.Sizes.Span)
		if err != nil {
			return err
		}
		if repetition == 0 { // the warm-up
			continue
		}
		for at, h := range took {
			if got[at] == nil {
				got[at] = map[metric]figure.Series{}
			}
			got[at][p50] = append(got[at][p50], inMs(h.ValueAtQuantile(50)))
			got[at][p99] = append(got[at][p99], inMs(h.ValueAtQuantile(99)))
		}
	}
	most := figure.AtMost(1.3)
	compare := func(a, b *place) {
		r.Table.Ratio(8, a.name+", p50 ms", got[a][p50], got[b][p50], b.name, nil)
		r.Table.Ratio(8, a.name+", p99 ms", got[a][p99], got[b][p99], b.name, &most)
	}
	few, some, many := 0, 1, 2
	compare(first[some], first[few])
	compare(first[many], first[few])
	compare(deep[many], deep[some])
	compare(deep[many], first[many])
	return nil
}

// readSteadily reads the places in turn, each page at its time, whether the ones before are
// there or not. The times are in microseconds.
func readSteadily(ctx context.Context, places []*place, span time.Duration) (map[*place]*hdrhistogram.Histogram, error) {
	took := map[*place]*hdrhistogram.Histogram{}
	for _, at := range places {
		took[at] = load.NewHistogram()
	}
	var mu sync.Mutex
	var reading sync.WaitGroup
	var failed error
	began, every := time.Now(), time.Second/pagesPerSecond
	for i, due := 0, began; due.Sub(began) < span && ctx.Err() == nil; i, due = i+1, due.Add(every) {
		at := places[i%len(places)]
		time.Sleep(time.Until(due)) // the pace itself
		reading.Go(func() {
			err := at.read(ctx)
			mu.Lock()
			defer mu.Unlock()
			if err == nil || tooBusy(err) { // the time that it took to say so counts
				err = took[at].RecordValue(time.Since(due).Microseconds())
			}
			if err != nil {
				failed = err
			}
		})
	}
	reading.Wait()
	return took, failed
}
