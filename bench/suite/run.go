// Package suite is the cases: what is measured, against what, and the targets.
//
// Every server is a process of its own, started for its case; the load comes from
// this process. Contenders take turns, and a ratio is that of neighbours in time, so
// that a machine that is busy otherwise slows both. Answers are checked while they are
// measured: a wrong one ends the run.
package suite

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"rollcall/bench/figure"
)

// Run is one run of some cases.
type Run struct {
	// Dir is where servers run and log.
	Dir string
	// Rollcall is the path of the server's binary.
	Rollcall string
	// Profiles is the folder for profiles of the server; empty for none. The
	// binary must have been built for it.
	Profiles string
	// Sizes are how much is measured.
	Sizes Sizes
	Table *figure.Table
	// Progress hears of each figure as it comes.
	Progress io.Writer
}

// Sizes are how much is measured.
type Sizes struct {
	Repetitions int
	// Span is how long one contender is measured in one repetition.
	Span time.Duration
	// Online is how many users are online where beats and pages are measured.
	Online int
	// Readers are the connections that ask for the list.
	Readers int
	// Subscribers are the sizes of the groups that events are delivered to.
	Subscribers []int
	// Few, Some and Many are the populations that are compared with each other.
	Few, Some, Many int
}

// Full is what the targets are for.
func Full() Sizes {
	return Sizes{
		Repetitions: 5, Span: 3 * time.Second, Online: 50_000, Readers: 128,
		Subscribers: []int{1_000, 10_000}, Few: 10_000, Some: 100_000, Many: 1_000_000,
	}
}

// Quick runs each case once, for its answers.
func Quick() Sizes {
	return Sizes{
		Repetitions: 1, Span: 200 * time.Millisecond, Online: 1_000, Readers: 8,
		Subscribers: []int{20, 50}, Few: 1_000, Some: 2_000, Many: 4_000,
	}
}

// group is cases that share their servers.
type group struct {
	numbers []int
	run     func(context.Context, *Run) error
}

func groups() []group {
	return []group{
		{[]int{1, 2}, beats},
		{[]int{3, 4}, heartbeats},
		{[]int{5}, list},
		{[]int{6, 7}, deliveries},
		{[]int{8, 11, 12}, populations},
		{[]int{9, 10}, transitions},
	}
}

// Measure runs the cases of these numbers, all if there are none, and those that share
// their servers with them.
func (r *Run) Measure(ctx context.Context, numbers []int) error {
	for _, g := range groups() {
		wanted := len(numbers) == 0
		for _, n := range numbers {
			wanted = wanted || slices.Contains(g.numbers, n)
		}
		if !wanted {
			continue
		}
		began := time.Now()
		if err := g.run(ctx, r); err != nil {
			return fmt.Errorf("case %d: %w", g.numbers[0], err)
		}
		fmt.Fprintf(r.Progress, "cases %v took %v\n", g.numbers, time.Since(began).Round(time.Second))
	}
	return nil
}
