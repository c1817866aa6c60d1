package suite

import (
	"context"
	"errors"
	"fmt"
	"os/exec"

	"rollcall/bench/figure"
	"rollcall/bench/load"
	"rollcall/bench/process"
)

const (
	// backgroundBeats is the heartbeats a second that go on meanwhile.
	backgroundBeats = 2_000
	// pageQuery is what a page of users online asks for.
	pageQuery = `{ onlineUsers(first: 50) { nodes { id name level presence { status lastActiveAt } } pageInfo { hasNextPage endCursor } totalCount } }`
)

// list measures the first page of the list, while users beat.
func list(ctx context.Context, r *Run) error {
	redis, err := process.StartRedis(ctx, r.Dir, "redis")
	if err != nil {
		return err
	}
	defer redis.Stop()
	seed := exec.CommandContext(ctx, r.Rollcall, "seed", fmt.Sprintf("--users=%d", r.Sizes.Online), "--database-url=sqlite:"+r.database()) // #nosec G204 -- our own
	if out, err := seed.CombinedOutput(); err != nil {
		return fmt.Errorf("seed: %w\n%s", err, out)
	}
	ours, err := r.rollcall(ctx, redis, rules())
	if err != nil {
		return err
	}
	defer ours.Stop()
	stock, err := r.stock(ctx, redis)
	if err != nil {
		return err
	}
	defer stock.Stop()

	s, err := store(redis)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	users, err := comeOnline(ctx, s, r.Sizes.Online, demoUser)
	if err != nil {
		return err
	}
	stop := users.steadily(ctx, backgroundBeats)
	got, measuring := r.readList(ctx, len(users.beats), ours, stock)
	beats, err := stop()
	if err := errors.Join(measuring, err); err != nil {
		return err
	}
	five := figure.AtLeast(5)
	r.Table.Ratio(5, "`onlineUsers(first: 50)`, requests/s", got["rollcall"][rate], got["stock"][rate], "stock gqlgen", &five)
	r.Table.Ratio(5, "the same for each second of the server's processor time", got["rollcall"][perCPU], got["stock"][perCPU], "stock gqlgen", nil)
	r.Table.Figure(5, "heartbeats accepted a second meanwhile", figure.Series{beats}, nil)
	return nil
}

// readList has many readers ask for the list, of which the total is known, from each server in turn.
func (r *Run) readList(ctx context.Context, total int, servers ...*process.Child) (results, error) {
	var contenders []contender
	for _, server := range servers {
		requests := make([][]byte, r.Sizes.Readers)
		for i := range requests {
			var err error
			if requests[i], err = request(server.Addr, fmt.Sprintf("dev:reader-%d", i), pageQuery, nil); err != nil {
				return nil, err
			}
		}
		clients, err := load.Connect(ctx, server.Addr, r.Sizes.Readers, func(i int) load.Source {
			return &rotation{requests: requests[i : i+1], want: fmt.Appendf(nil, `"totalCount":%d`, total)}
		})
		if err != nil {
			return nil, err
		}
		defer clients.Close()
		contenders = append(contenders, r.profiled(counting(server.Name, clients, r.Sizes.Span, 1, server), server, "list"))
		defer r.noteRefusals(5, server.Name, clients)
	}
	return r.alternate(ctx, contenders...)
}
