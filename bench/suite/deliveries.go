package suite

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"

	"rollcall/bench/figure"
	"rollcall/bench/process"
	"rollcall/bench/socket"
	"rollcall/internal/presence"
	"rollcall/internal/presence/redisstore"
)

// deliveries measures events that are told to many subscribers, and the memory of those who are
// told nothing.
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
		d.contender("rollcall", func(ctx context.Context) (*process.Child, error) { return r.rollcall(ctx, redis, rules()) }, d.transitions),
		d.contender("bare", r.bare, d.postFrames),
		d.contender("stock", func(ctx context.Context) (*process.Child, error) { return r.stock(ctx, redis) }, d.transitions),
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
	}{{"bare", "bare server, frames made once", &most, &size}, {"stock", "stock gqlgen", &four, nil}} {
		theirs := got[against.name]
		r.Table.Ratio(6, at+"deliveries of one event in a frame, for each second of the server's processor time", ours[perCPU], theirs[perCPU], against.title, against.most)
		r.Table.Ratio(6, at+"the same, a second", ours[single], theirs[single], against.title, nil)
		r.Table.Ratio(6, at+"bytes of such a frame", ours[octets], theirs[octets], against.title, nil)
		r.Table.Ratio(6, at+"events delivered a second, as they come", ours[rate], theirs[rate], against.title, against.most)
		r.Table.Ratio(7, at+"KB of resident memory for each, idle", ours[memory], theirs[memory], against.title, against.memory)
	}
	r.Table.Note(6, at+fmt.Sprintf("events lost, doubled or told as a reset, %d at once among them", burst),
		fmt.Sprintf("none of %d", d.delivered))
	return nil
}

// teller makes events, of which a server tells its subscribers.
type teller func(ctx context.Context, server *process.Child, first, n int) error

// delivery is events on their way to groups of subscribers, of one server after the other.
type delivery struct {
	run         *Run
	subscribers int
	events      *redisstore.Store
	next        int // number of the next event
	frame       int // bytes of Rollcall's frames of one event
	delivered   int // by Rollcall
}

// transitions makes events of which all servers of the store tell: users come online.
func (d *delivery) transitions(ctx context.Context, _ *process.Child, first, n int) error {
	beats := make([]presence.Beat, n)
	for i := range beats {
		beats[i] = presence.Beat{UserID: socket.UserID(first + i), DeviceID: device(first + i)}
	}
	results, err := d.events.Beat(ctx, beats)
	if err != nil {
		return err
	}
	for _, result := range results {
		if result.Err != nil {
			return result.Err
		}
	}
	return nil
}

// postFrames has the bare server tell events, each in as many bytes as Rollcall does.
func (d *delivery) postFrames(ctx context.Context, server *process.Child, first, n int) error {
	for event := first; event < first+n; event++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+server.Addr+"/frame", bytes.NewReader(d.payload(event)))
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		if err := resp.Body.Close(); err != nil {
			return err
		}
	}
	return nil
}

// payload is an answer as Rollcall's, with a cursor that makes the frame as long.
func (d *delivery) payload(event int) []byte {
	const now = "2026-01-01T00:00:00.000Z"
	tail := fmt.Sprintf(`","reset":false,"events":[{"type":"ONLINE","userId":"%s","at":"%s","presence":{"status":"ONLINE","lastActiveAt":"%s"}}]}}}`,
		socket.UserID(event), now, now)
	const head, message = `{"data":{"presenceChanged":{"cursor":"`, `{"id":"1","type":"next","payload":}`
	return []byte(head + strings.Repeat("x", max(0, d.frame-len(message)-len(head)-len(tail))) + tail)
}
