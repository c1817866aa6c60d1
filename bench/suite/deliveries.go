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
	// ahead is how many events may be on their way to the subscribers: the server is
	// never idle.
	ahead = 8
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
	ours := got["rollcall"]
	most, four, size := figure.AtLeast(0.8), figure.AtLeast(4), figure.AtMost(1.3)
	at := fmt.Sprintf("%d subscribers: ", subscribers)
	for _, against := range []struct {
		name, title  string
		most, memory *figure.Target
	}{{"bare", "pre-encoded frames", &most, &size}, {"stock", "stock gqlgen", &four, nil}} {
		theirs := got[against.name]
		r.Table.Ratio(6, at+"events delivered a second, as they come", ours[rate], theirs[rate], against.title, against.most)
		r.Table.Ratio(6, at+"deliveries of one event in a frame, for each second of the server's processor time", ours[perCPU], theirs[perCPU], against.title, against.most)
		r.Table.Ratio(6, at+"the same, a second", ours[single], theirs[single], against.title, nil)
		r.Table.Ratio(6, at+"bytes of such a frame", ours[octets], theirs[octets], against.title, nil)
		r.Table.Ratio(7, at+"KB of resident memory for each, idle", ours[memory], theirs[memory], against.title, against.memory)
	}
	return nil
}

// teller makes an event, of which a server tells its subscribers.
type teller func(ctx context.Context, server *process.Child, event int) error

// delivery is events on their way to a group of subscribers.
type delivery struct {
	run         *Run
	subscribers int
	events      *redisstore.Store
	next        int // number of the next event
	frame       int // bytes of Rollcall's frames of one event
}

// contender starts a server for each repetition, so that its memory begins small.
func (d *delivery) contender(
	name string, start func(context.Context) (*process.Child, error), tell teller,
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

func (d *delivery) measure(ctx context.Context, server *process.Child, tell teller) (map[metric]float64, error) {
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
	if err := d.run.heap(ctx, server, fmt.Sprintf("idle-%d", d.subscribers)); err != nil {
		return nil, err
	}
	measured, err := d.tellBothWays(ctx, group, told, server, tell)
	lost := group.Close(socket.Numbered(first, d.next-first))
	if err == nil {
		err = lost
	}
	if err != nil {
		return nil, err
	}
	measured[memory] = float64(full-empty) / 1000 / float64(d.subscribers)
	return measured, nil
}

// tellBothWays tells events one in a frame, then as they come.
func (d *delivery) tellBothWays(ctx context.Context, group *socket.Group, told *socket.Barrier, server *process.Child, tell teller) (map[metric]float64, error) {
	singly := d.run.profiled(contender{"", func(ctx context.Context) (map[metric]float64, error) {
		return cost(func() (float64, error) { return d.tellAll(ctx, group, told, server, tell, true) }, server)
	}}, server, fmt.Sprintf("deliver-%d", d.subscribers))
	singles, err := singly.measure(ctx)
	if err != nil {
		return nil, err
	}
	n, size := group.Frames()
	if server.Name == "rollcall" {
		d.frame = int(size / n)
	}
	all, err := cost(func() (float64, error) { return d.tellAll(ctx, group, told, server, tell, false) })
	if err != nil {
		return nil, err
	}
	return map[metric]float64{
		rate: all[rate], single: singles[rate], perCPU: singles[perCPU], octets: float64(size) / float64(n),
	}, nil
}

func (d *delivery) settling() time.Duration { return min(settling, d.run.Sizes.Span) }

// tellAll tells events as fast as everybody is told, and returns the deliveries. With singly an event
// waits until the one before has begun to be told, so that no window gathers both.
func (d *delivery) tellAll(ctx context.Context, g *socket.Group, told *socket.Barrier, server *process.Child, tell teller, singly bool) (float64, error) {
	first, began := d.next, time.Now()
	for ; time.Since(began) < d.run.Sizes.Span; d.next++ {
		if singly && d.next > first {
			if err := told.WaitFirst(ctx, g, d.next-1); err != nil {
				return 0, err
			}
		}
		if waited := d.next - ahead; waited >= first {
			if err := told.Wait(ctx, g, waited); err != nil {
				return 0, err
			}
		}
		if err := tell(ctx, server, d.next); err != nil {
			return 0, err
		}
	}
	for i := max(first, d.next-ahead); i < d.next; i++ {
		if err := told.Wait(ctx, g, i); err != nil {
			return 0, err
		}
	}
	return float64((d.next - first) * d.subscribers), nil
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
	body := fmt.Sprintf(`{"data":{"presenceChanged":{"cursor":"%%s","reset":false,"events":[{"type":"ONLINE","userId":"%s","at":"2026-01-01T00:00:00.000Z","presence":{"status":"ONLINE","lastActiveAt":"2026-01-01T00:00:00.000Z"}}]}}}`,
		socket.UserID(event))
	const around = len(`{"id":"1","type":"next","payload":}`) - len("%s")
	body = fmt.Sprintf(body, strings.Repeat("x", max(0, d.frame-len(body)-around)))
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
