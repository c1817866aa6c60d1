package suite

import (
	"context"
	"fmt"
	"time"

	"rollcall/bench/figure"
	"rollcall/bench/load"
	"rollcall/bench/process"
)

// metric names a figure of a contender.
type metric string

// The metrics.
const (
	rate   metric = "a second"           // what is counted
	perCPU metric = "a processor second" // the same for each second of the server's processor time
	p50    metric = "p50 ms"             // of the times
	p99    metric = "p99 ms"

	offlineP50 metric = "OFFLINE p50 ms"
	offlineP99 metric = "OFFLINE p99 ms"

	single metric = "single a second" // deliveries of one event in a frame
	octets metric = "bytes"           // of such a frame
	memory metric = "KB"              // resident, of each idle subscriber
)

// contender is one of those that a case compares.
type contender struct {
	name    string
	measure func(context.Context) (map[metric]float64, error)
}

// results are the figures of each contender, by its name.
type results map[string]map[metric]figure.Series

// alternate lets the contenders take turns: in each repetition another one is first.
// A repetition before them is not counted, unless there is but one.
func (r *Run) alternate(ctx context.Context, contenders ...contender) (results, error) {
	all := results{}
	warmUps := min(1, r.Sizes.Repetitions-1)
	for repetition := range r.Sizes.Repetitions + warmUps {
		for i := range contenders {
			c := contenders[(i+repetition)%len(contenders)]
			measured, err := c.measure(ctx)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			fmt.Fprintf(r.Progress, "  %s: %v\n", c.name, measured)
			if repetition < warmUps {
				continue
			}
			if all[c.name] == nil {
				all[c.name] = map[metric]figure.Series{}
			}
			for m, v := range measured {
				all[c.name][m] = append(all[c.name][m], v)
			}
		}
	}
	return all, nil
}

// cost measures what do counts, a second and for each second of the servers' processor time.
func cost(do func() (float64, error), servers ...*process.Child) (map[metric]float64, error) {
	before, err := used(servers)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	n, err := do()
	if err != nil {
		return nil, err
	}
	took := time.Since(began)
	after, err := used(servers)
	measured := map[metric]float64{rate: n / took.Seconds()}
	if cpu := after - before; cpu > 0 { // not every system tells
		measured[perCPU] = n / cpu.Seconds()
	}
	return measured, err
}

func used(servers []*process.Child) (sum time.Duration, err error) {
	for _, s := range servers {
		cpu, err := s.CPU()
		if err != nil {
			return 0, err
		}
		sum += cpu
	}
	return sum, nil
}

// noteRefusals tells of requests that were answered with: not now. They count as no answers.
func (r *Run) noteRefusals(number int, name string, clients *load.Clients) {
	if n := clients.Refused(); n > 0 {
		r.Table.Note(number, "requests that "+name+" refused since it was too busy", fmt.Sprint(n))
	}
}
