package memstore

import (
	"context"

	"rollcall/internal/presence"
)

// history is two rings, which take no memory before the first sample.
type history struct{ minutes, hours ring }

// ring holds the latest units of a resolution, each where its number modulo the length says.
type ring []period

// period is what is known of one minute or hour.
type period struct {
	unit    int64 // its number
	sum     int64
	peak    int
	samples int
	part    int64 // of a minute: which of its parts the last sample was of
}

// RecordOnline implements [presence.History].
func (s *Store) RecordOnline(_ context.Context, online int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, now := &s.history, s.now()
	if h.minutes == nil {
		h.minutes = make(ring, presence.ByMinute.Kept())
		h.hours = make(ring, presence.ByHour.Kept())
	}
	minute := h.minutes.at(now, presence.ByMinute)
	part := int64(now) % presence.ByMinute.Unit().Milliseconds() / presence.SampleEvery.Milliseconds()
	if minute.samples > 0 && part <= minute.part {
		return nil
	}
	minute.part = part
	minute.add(online)
	h.hours.at(now, presence.ByHour).add(online)
	return nil
}

// at is the period of a time, empty if the ring has an earlier one in its place.
func (r ring) at(t presence.Millis, res presence.Resolution) *period {
	unit := int64(t) / res.Unit().Milliseconds()
	p := &r[unit%int64(len(r))]
	if p.unit != unit {
		*p = period{unit: unit}
	}
	return p
}

func (p *period) add(online int) {
	p.peak = max(p.peak, online)
	p.sum += int64(online)
	p.samples++
}

// OnlineHistory implements [presence.History].
func (s *Store) OnlineHistory(_ context.Context, from, to presence.Millis, res presence.Resolution) ([]presence.OnlinePoint, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	first, last, err := res.Span(from, to, s.now())
	if err != nil {
		return nil, err
	}
	r := s.history.minutes
	if res == presence.ByHour {
		r = s.history.hours
	}
	points := []presence.OnlinePoint{}
	for unit := first; unit <= last && r != nil; unit++ {
		p := r[unit%int64(len(r))]
		if p.unit != unit || p.samples == 0 {
			continue
		}
		points = append(points, presence.OnlinePoint{
			At:   presence.Millis(unit * res.Unit().Milliseconds()),
			Peak: p.peak, Average: float64(p.sum) / float64(p.samples),
		})
	}
	return points, nil
}
