package presence

import "sync"

// rateWindow is the time over which a rate is taken, in milliseconds.
const rateWindow = 10_000

// rate is the slope of a counter over the last rateWindow, by the store's clock.
type rate struct {
	mu      sync.Mutex
	samples []rateSample // oldest first; all but the first lie in the window
}

type rateSample struct {
	at    Millis
	count int64
}

func (r *rate) sample(at Millis, count int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.samples); n > 0 && (count < r.samples[n-1].count || at < r.samples[n-1].at) {
		r.samples = r.samples[:0] // the store lost its data or its clock
	}
	r.samples = append(r.samples, rateSample{at, count})
	for len(r.samples) > 2 && at-r.samples[1].at >= rateWindow {
		r.samples = r.samples[1:]
	}
}

func (r *rate) perSecond() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.samples) < 2 {
		return 0
	}
	first, last := r.samples[0], r.samples[len(r.samples)-1]
	if last.at == first.at {
		return 0
	}
	return float64(last.count-first.count) / float64(last.at-first.at) * 1000
}
