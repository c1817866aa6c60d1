package presencetest

import (
	"context"
	"slices"
	"time"

	"rollcall/internal/presence"
)

// sample is one count of the users online.
type sample struct {
	at     time.Time
	online int
}

// RecordOnline implements [presence.History].
func (n *Naive) RecordOnline(_ context.Context, online int) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	now := n.clock.Now().Time()
	for _, s := range n.samples {
		sameMinute := s.at.Truncate(time.Minute).Equal(now.Truncate(time.Minute))
		if sameMinute && !s.at.Truncate(presence.SampleEvery).Before(now.Truncate(presence.SampleEvery)) {
			return nil
		}
	}
	n.samples = append(n.samples, sample{now, online})
	return nil
}

// OnlineHistory implements [presence.History].
func (n *Naive) OnlineHistory(_ context.Context, from, to presence.Millis, r presence.Resolution) ([]presence.OnlinePoint, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	unit := time.Minute
	if r == presence.ByHour {
		unit = time.Hour
	}
	now := n.clock.Now().Time()
	points, asked := []presence.OnlinePoint{}, 0
	for at := now.Truncate(unit); now.Truncate(unit).Sub(at) < presence.HistoryFor; at = at.Add(-unit) {
		begin := presence.Millis(at.UnixMilli())
		if begin >= to {
			continue
		}
		if begin.Add(unit) <= from {
			break
		}
		if asked++; asked > presence.MaxPoints {
			return nil, presence.ErrTooManyPoints
		}
		var of []int
		for _, s := range n.samples {
			if s.at.Truncate(unit).Equal(at) {
				of = append(of, s.online)
			}
		}
		if len(of) > 0 {
			points = append(points, presence.OnlinePoint{At: begin, Peak: slices.Max(of), Average: mean(of)})
		}
	}
	slices.Reverse(points)
	return points, nil
}

func mean(values []int) float64 {
	sum := 0
	for _, v := range values {
		sum += v
	}
	return float64(sum) / float64(len(values))
}
