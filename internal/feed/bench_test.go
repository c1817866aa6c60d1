package feed

import (
	"fmt"
	"log/slog"
	"testing"

	"rollcall/internal/presence"
)

// BenchmarkPublish is the cost of one delta of ten events to many subscribers
// that keep up.
func BenchmarkPublish(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("all/%d", n), func(b *testing.B) {
			benchmarkPublish(b, n, func(int) Options { return Options{} }, 1)
		})
		b.Run(fmt.Sprintf("narrowed/%d", n), func(b *testing.B) {
			benchmarkPublish(b, n, func(i int) Options { return Options{Users: []string{fmt.Sprintf("user-%d", i)}} }, n/10)
		})
	}
}

// benchmarkPublish polls every step'th subscriber, those who are told.
func benchmarkPublish(b *testing.B, n int, options func(int) Options, step int) {
	store := newStore()
	h := NewHub(store, Config{}, slog.New(slog.DiscardHandler))
	place, err := store.Tail(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	// The hub reads nothing: the benchmark publishes itself.
	h.place = place
	h.attempted()
	h.stop = func() {}
	defer h.Stop()
	subs := make([]*Subscription, n)
	for i := range subs {
		subs[i] = open(b, h, options(i))
	}
	events := make([]presence.Event, 10)
	for i := range events {
		events[i].Presence.UserID = fmt.Sprintf("user-%d", i*n/10)
	}
	perBatch := 10 * n // events, to all
	if step > 1 {
		perBatch = 10
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		last := presence.EventID{Ms: place[0].Ms + uint64(i) + 1}
		for j := range events {
			events[j].ID = last
		}
		h.publish([]read{{events: events, last: last}})
		told := 0
		for i := 0; i < n; i += step {
			d, err := subs[i].Poll()
			if err != nil || d == nil || d.Reset {
				b.Fatal("a subscriber that keeps up was not told", err)
			}
			told += len(d.Events)
		}
		if told != perBatch {
			b.Fatalf("%d events were told, not %d", told, perBatch)
		}
	}
	b.ReportMetric(float64(perBatch)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
