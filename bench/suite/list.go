package suite

import (
	"context"
	"fmt"
	"os/exec"
	"time"

	"rollcall/bench/figure"
	"rollcall/bench/load"
	"rollcall/bench/process"
	"rollcall/internal/presence"
	"rollcall/internal/presence/redisstore"
)

const (
	// reading is how many connections ask for the list.
	reading = 128
	// backgroundBeats is the heartbeats a second that go on meanwhile.
	backgroundBeats = 2_000
	// pageQuery is what a page of users online asks for.
	pageQuery = `{ onlineUsers(first: 50) { nodes { id name level presence { status lastActiveAt } } pageInfo { hasNextPage endCursor } totalCount } }`
)

// list measures case 5: the first page of the list, while users beat.
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

	online, err := store(redis)
	if err != nil {
		return err
	}
	defer func() { _ = online.Close() }()
	beats, err := comeOnline(ctx, online, r.Sizes.Online, demoUser)
	if err != nil {
		return err
	}
	stop := beatSteadily(ctx, online, beats)
	var contenders []contender
	for _, server := range []*process.Child{ours, stock} {
		clients, err := load.Connect(ctx, server.Addr, reading, func(i int) load.Source {
			r, _ := request(server.Addr, "dev:reader-"+fmt.Sprint(i), pageQuery, nil)
			return &rotation{requests: [][]byte{r}, want: fmt.Appendf(nil, `"totalCount":%d`, len(beats))}
		})
		if err != nil {
			return err
		}
		defer clients.Close()
		contenders = append(contenders, r.profiled(counting(server.Name, clients, r.Sizes.Span, 1, server), server, "list"))
	}
	got, err := r.alternate(ctx, contenders...)
	if err := stop(); err != nil {
		return err
	}
	if err != nil {
		return err
	}
	five := figure.AtLeast(5)
	r.Table.Ratio(5, "`onlineUsers(first: 50)`, requests/s", got["rollcall"][rate], got["stock"][rate], "stock gqlgen", &five)
	r.Table.Ratio(5, "the same for each second of the server's processor time", got["rollcall"][perCPU], got["stock"][perCPU], "stock gqlgen", nil)
	return nil
}

// comeOnline signs n users in, and returns the beats that extend their sessions.
func comeOnline(ctx context.Context, s *redisstore.Store, n int, user func(i int) string) ([]presence.Beat, error) {
	beats := make([]presence.Beat, n)
	const each = 1000
	for from := 0; from < n; from += each {
		part := beats[from:min(n, from+each)]
		for i := range part {
			part[i] = presence.Beat{UserID: user(from + i), DeviceID: device(from + i)}
		}
		results, err := s.Beat(ctx, part)
		if err != nil {
			return nil, err
		}
		for i, result := range results {
			if result.Err != nil {
				return nil, result.Err
			}
			part[i].Epoch = result.Epoch
		}
	}
	return beats, nil
}

// beatSteadily sends heartbeats at a steady rate until it is stopped, which tells what went wrong.
func beatSteadily(ctx context.Context, s *redisstore.Store, beats []presence.Beat) (stop func() error) {
	const each = 20 * time.Millisecond
	n := min(len(beats), int(backgroundBeats*each.Seconds()))
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		tick := time.NewTicker(each)
		defer tick.Stop()
		for from := 0; ; from += n {
			select {
			case <-tick.C:
			case <-ctx.Done():
				ended <- nil
				return
			}
			if from+n > len(beats) {
				from = 0
			}
			if err := refresh(ctx, s, beats[from:from+n]); err != nil && ctx.Err() == nil {
				ended <- err
				return
			}
		}
	}()
	return func() error {
		cancel()
		return <-ended
	}
}

// refresh sends heartbeats that have nothing to do but extend their sessions.
func refresh(ctx context.Context, s *redisstore.Store, beats []presence.Beat) error {
	results, err := s.Beat(ctx, beats)
	if err != nil {
		return err
	}
	for i, result := range results {
		if result.Err != nil || result.Outcome != presence.Refreshed {
			return fmt.Errorf("beat of %s: outcome %q, error %w", beats[i].UserID, result.Outcome, result.Err)
		}
	}
	return nil
}
