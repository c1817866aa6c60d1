package suite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rollcall/bench/process"
	"rollcall/bench/socket"
)

const (
	// ahead is how many events may be on their way to the subscribers: the server is
	// never idle.
	ahead = 8
	// burst is how many events Rollcall has to tell at once.
	burst = 500
	// settling is how long subscribers are left alone before their memory is taken.
	settling = 2 * time.Second
	// mostEvents is the most that one server is to tell.
	mostEvents = 50_000
)

// fanOut is one server that tells events to one group of subscribers.
type fanOut struct {
	*delivery

	server *process.Child
	tell   teller
	group  *socket.Group
	told   *socket.Barrier
	first  int // number of the first event
}

// contender starts a server for each repetition, so that its memory begins small.
func (d *delivery) contender(name string, start func(context.Context) (*process.Child, error), tell teller) contender {
	return contender{name, func(ctx context.Context) (map[metric]float64, error) {
		server, err := start(ctx)
		if err != nil {
			return nil, err
		}
		defer server.Stop()
		f := &fanOut{
			delivery: d, server: server, tell: tell,
			told: socket.NewBarrier(d.subscribers, d.next, mostEvents), first: d.next,
		}
		return f.measure(ctx)
	}}
}

func (f *fanOut) measure(ctx context.Context) (map[metric]float64, error) {
	idle, err := f.subscribe(ctx)
	if err != nil {
		return nil, err
	}
	measured, err := f.tellInAllWays(ctx)
	lost := f.group.Close(socket.Numbered(f.first, f.next-f.first))
	if err := errors.Join(err, lost); err != nil {
		return nil, err
	}
	measured[memory] = idle
	return measured, nil
}

// subscribe connects the subscribers, and returns the KB that the server takes for each.
func (f *fanOut) subscribe(ctx context.Context) (idle float64, err error) {
	empty, err := f.server.RSS()
	if err != nil {
		return 0, err
	}
	if f.group, err = socket.Subscribe(ctx, f.server.Addr, f.subscribers, f.told.Told); err != nil {
		return 0, err
	}
	time.Sleep(min(settling, f.run.Sizes.Span)) // nothing is to happen
	full, err := f.server.RSS()
	if err == nil {
		err = f.run.heap(ctx, f.server, fmt.Sprintf("idle-%d", f.subscribers))
	}
	return float64(full-empty) / 1000 / float64(f.subscribers), err
}

// tellInAllWays tells events one in a frame, then as they come, and has Rollcall tell many at once.
func (f *fanOut) tellInAllWays(ctx context.Context) (map[metric]float64, error) {
	singly := f.run.profiled(contender{"", func(ctx context.Context) (map[metric]float64, error) {
		return cost(func() (float64, error) { return f.tellMany(ctx, f.singly) }, f.server)
	}}, f.server, fmt.Sprintf("deliver-%d", f.subscribers))
	singles, err := singly.measure(ctx)
	if err != nil {
		return nil, err
	}
	n, size := f.group.Frames()
	all, err := cost(func() (float64, error) {
		return f.tellMany(ctx, func(context.Context) error { return nil })
	}, f.server)
	if err != nil {
		return nil, err
	}
	if f.server.Name == "rollcall" {
		f.frame = int(size / n)
		if err := f.tellAtOnce(ctx); err != nil {
			return nil, err
		}
		f.delivered += (f.next - f.first) * f.subscribers
	}
	return map[metric]float64{
		rate: all[rate], single: singles[rate], perCPU: singles[perCPU], octets: float64(size) / float64(n),
	}, nil
}

// tellMany tells events as fast as everybody is told, each when turn returns, and returns
// the deliveries.
func (f *fanOut) tellMany(ctx context.Context, turn func(context.Context) error) (float64, error) {
	first, began := f.next, time.Now()
	for ; time.Since(began) < f.run.Sizes.Span && f.next-f.first < mostEvents-burst; f.next++ {
		if err := turn(ctx); err != nil {
			return 0, err
		}
		if early := f.next - ahead; early >= first {
			if err := f.told.Wait(ctx, f.group, early); err != nil {
				return 0, err
			}
		}
		if err := f.tell(ctx, f.server, f.next, 1); err != nil {
			return 0, err
		}
	}
	return float64((f.next - first) * f.subscribers), f.await(ctx, max(first, f.next-ahead))
}

// singly waits until the event before has begun to be told, so that no window gathers it and the next.
func (f *fanOut) singly(ctx context.Context) error {
	if f.next == f.first {
		return nil
	}
	return f.told.WaitFirst(ctx, f.group, f.next-1)
}

// tellAtOnce tells a burst of events.
func (f *fanOut) tellAtOnce(ctx context.Context) error {
	first := f.next
	if err := f.tell(ctx, f.server, first, burst); err != nil {
		return err
	}
	f.next += burst
	return f.await(ctx, first)
}

// await waits until everybody has been told all events from one on.
func (f *fanOut) await(ctx context.Context, from int) error {
	for event := from; event < f.next; event++ {
		if err := f.told.Wait(ctx, f.group, event); err != nil {
			return err
		}
	}
	return nil
}
