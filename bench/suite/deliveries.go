package suite

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"rollcall/bench/figure"
	"rollcall/bench/process"
	"rollcall/bench/socket"
	"rollcall/internal/presence"
	"rollcall/internal/presence/redisstore"
)

const (
	// ahead is how many events may be on their way: the server is never idle, and a delta has
	// one event or two.
	ahead = 2
	// settling is how long subscribers are left alone before their memory is taken.
	settling = 2 * time.Second
)

// deliveries measures cases 6 and 7: events told to many subscribers, and the memory of those
// who are told nothing.
func deliveries(ctx context.Context, r *Run) error {
	for _, n := range r.Sizes.Subscribers {
		if err := r.deliver(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

func (r *Run) deliver(ctx context.Context, subscribers int) error {
	redis, err := process.StartRedis(ctx, r.Dir, "redis")
	if err != nil {
		return err
	}
	defer redis.Stop()
	events, err := store(redis)
	if err != nil {
		return err
	}
	defer func() { _ = events.Close() }()
	d := &delivery{run: r, subscribers: subscribers, events: events}
	got, err := r.alternate(ctx,
		d.contender("rollcall", func(ctx context.Context) (*process.Child, error) { return r.rollcall(ctx, redis, rules()) }, d.transition),
		d.contender("bare", r.bare, d.postFrame),
		d.contender("stock", func(ctx context.Context) (*process.Child, error) { return r.stock(ctx, redis) }, d.transition),
	)
	if err != nil {
		return err
	}
	ours, bare, stock := got["rollcall"], got["bare"], got["stock"]
	most, four, size := figure.AtLeast(0.8), figure.AtLeast(4), figure.AtMost(1.3)
	what := fmt.Sprintf("events delivered to %d subscribers, ", subscribers)
	r.Table.Ratio(6, what+"for each second of the server's processor time", ours[perCPU], bare[perCPU], "pre-encoded frames", &most)
	r.Table.Ratio(6, what+"for each second of the server's processor time", ours[perCPU], stock[perCPU], "stock gqlgen", &four)
	r.Table.Ratio(6, what+"a second", ours[rate], bare[rate], "pre-encoded frames", nil)
	r.Table.Ratio(6, what+"a second", ours[rate], stock[rate], "stock gqlgen", nil)
	r.Table.Ratio(7, fmt.Sprintf("KB for each of %d idle subscribers", subscribers), ours[memory], bare[memory], "bare", &size)
	r.Table.Ratio(7, fmt.Sprintf("KB for each of %d idle subscribers", subscribers), ours[memory], stock[memory], "stock gqlgen", nil)
	return nil
}

// delivery is events on their way to a group of subscribers.
type delivery struct {
	run         *Run
	subscribers int
	events      *redisstore.Store
	next        int // number of the next event
}

// contender starts a server for each repetition, so that its memory begins small.
func (d *delivery) contender(
	name string, start func(context.Context) (*process.Child, error), tell func(context.Context, *process.Child, int) error,
) contender {
	return contender{name, func(ctx context.Context) (map[metric]float64, error) {
		server, err := start(ctx)
		if err != nil {
			return nil, err
		}
		defer server.Stop()
		return d.measure(ctx, server, tell)
	}}
}

func (d *delivery) measure(ctx context.Context, server *process.Child, tell func(context.Context, *process.Child, int) error) (map[metric]float64, error) {
	empty, err := server.RSS()
	if err != nil {
		return nil, err
	}
	const most = 100_000
	first := d.next
	told := socket.NewBarrier(d.subscribers, first, most)
	group, err := socket.Subscribe(ctx, server.Addr, d.subscribers, told.Told)
	if err != nil {
		return nil, err
	}
	time.Sleep(d.settling()) // nothing is to happen
	full, err := server.RSS()
	if err != nil {
		return nil, err
	}
	profiled := d.run.profiled(contender{"", func(ctx context.Context) (map[metric]float64, error) {
		return cost(func() (float64, error) {
			n, err := d.tellAll(ctx, group, told, server, tell)
			return float64(n * d.subscribers), err
		}, server)
	}}, server, fmt.Sprintf("deliver-%d", d.subscribers))
	before, began := group.Frames(), time.Now()
	measured, err := profiled.measure(ctx)
	if err == nil {
		measured[frames] = float64(group.Frames()-before) / time.Since(began).Seconds()
		measured[memory] = float64(full-empty) / 1000 / float64(d.subscribers)
		err = group.Close(first, d.next-first)
	} else {
		_ = group.Close(first, d.next-first) // it can only say the same
	}
	return measured, err
}

func (d *delivery) settling() time.Duration { return min(settling, d.run.Sizes.Span) }

// tellAll tells events one after the other, as fast as everybody is told, and
// returns how many.
func (d *delivery) tellAll(ctx context.Context, g *socket.Group, told *socket.Barrier, server *process.Child, tell func(context.Context, *process.Child, int) error) (int, error) {
	first, began := d.next, time.Now()
	for ; time.Since(began) < d.run.Sizes.Span; d.next++ {
		if err := tell(ctx, server, d.next); err != nil {
			return 0, err
		}
		if waited := d.next - ahead + 1; waited >= first {
			if err := told.Wait(ctx, g, waited); err != nil {
				return 0, err
			}
		}
	}
	for i := max(first, d.next-ahead); i < d.next; i++ {
		if err := told.Wait(ctx, g, i); err != nil {
			return 0, err
		}
	}
	return d.next - first, nil
}

// transition makes an event of which all servers of the store tell: a user comes online.
func (d *delivery) transition(ctx context.Context, _ *process.Child, event int) error {
	results, err := d.events.Beat(ctx, []presence.Beat{{UserID: socket.UserID(event), DeviceID: device(event)}})
	if err != nil {
		return err
	}
	return results[0].Err
}

// postFrame has the bare server tell an event, in as many bytes as Rollcall does.
func (d *delivery) postFrame(ctx context.Context, server *process.Child, event int) error {
	cursor := strings.Repeat("x", cursorLength)
	body := fmt.Sprintf(`{"data":{"presenceChanged":{"cursor":"%s","events":[{"type":"ONLINE","userId":"%s","at":"2026-01-01T00:00:00.000Z","presence":{"status":"ONLINE","lastActiveAt":"2026-01-01T00:00:00.000Z"}}],"reset":false}}}`,
		cursor, socket.UserID(event))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+server.Addr+"/frame", bytes.NewBufferString(body))
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// cursorLength is how long the cursor of a delta is with this many shards.
const cursorLength = 22 + shards*11
