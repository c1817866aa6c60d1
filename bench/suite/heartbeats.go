package suite

import (
	"context"
	"fmt"
	"strings"
	"time"

	"rollcall/bench/figure"
	"rollcall/bench/load"
	"rollcall/bench/process"
)

const (
	// beating is how many connections send heartbeats.
	beating = 64
	// reporting is how many connections report heartbeats of many users.
	reporting = 4
	// reported is how many users are in one report.
	reported = 500
)

const heartbeatQuery = `mutation($input: HeartbeatInput!) { heartbeat(input: $input) { outcome session serverTime expiresAt nextHeartbeatInMs } }`

const heartbeatsQuery = `mutation($input: [UserHeartbeatInput!]!) { heartbeats(input: $input) { accepted results { userId session error } } }`

// heartbeats measures heartbeats over HTTP, of one user and of many at a time.
func heartbeats(ctx context.Context, r *Run) error {
	redis, err := process.StartRedis(ctx, r.Dir, "redis")
	if err != nil {
		return err
	}
	defer redis.Stop()
	onRedis, err := r.rollcall(ctx, redis, rules())
	if err != nil {
		return err
	}
	defer onRedis.Stop()
	inMemory, err := r.rollcall(ctx, nil, rules())
	if err != nil {
		return err
	}
	defer inMemory.Stop()
	bare, err := r.bare(ctx)
	if err != nil {
		return err
	}
	defer bare.Stop()

	var fastest, steady []contender
	for _, s := range []struct {
		name  string
		child *process.Child
	}{{"rollcall", onRedis}, {"rollcall in memory", inMemory}, {"bare", bare}} {
		users, err := signIn(ctx, s.child.Addr, r.Sizes.Online/5, s.child == bare)
		if err != nil {
			return err
		}
		singles, err := load.Connect(ctx, s.child.Addr, beating, func(i int) load.Source { return users.beats(i, beating) })
		if err != nil {
			return err
		}
		defer singles.Close()
		defer r.noteRefusals(3, s.name, singles)
		fastest = append(fastest, r.profiled(counting(s.name, singles, r.Sizes.Span, 1, s.child), s.child, strings.ReplaceAll("heartbeat "+s.name, " ", "-")))
		steady = append(steady, timed(s.name, singles, r.Sizes.Span))
		if s.child != onRedis {
			continue
		}
		many, err := load.Connect(ctx, s.child.Addr, reporting, func(i int) load.Source { return users.reports(i, reporting) })
		if err != nil {
			return err
		}
		defer many.Close()
		defer r.noteRefusals(4, s.name, many)
		fastest = append(fastest, r.profiled(counting("heartbeats", many, r.Sizes.Span, reported, s.child), s.child, "heartbeats"))
	}
	got, err := r.alternate(ctx, fastest...)
	if err != nil {
		return err
	}
	ours, theirs := got["rollcall"], got["bare"]
	half, eight := figure.AtLeast(0.5), figure.AtLeast(8)
	r.Table.Ratio(3, "heartbeats over HTTP, on Redis, requests/s", ours[rate], theirs[rate], "bare chi handler", &half)
	r.Table.Ratio(3, "the same, requests for each second of the server's processor time (Redis' aside)", ours[perCPU], theirs[perCPU], "bare chi handler", nil)
	r.Table.Ratio(3, "presence in memory, requests/s", got["rollcall in memory"][rate], theirs[rate], "bare chi handler", nil)
	r.Table.Ratio(4, fmt.Sprintf("`heartbeats` of %d, users/s", reported), got["heartbeats"][rate], ours[rate], "one by one", &eight)
	got, err = r.alternate(ctx, steady...)
	if err != nil {
		return err
	}
	r.Table.Ratio(3, fmt.Sprintf("p99 at %d requests/s, ms", steadyRate), got["rollcall"][p99], got["bare"][p99], "bare chi handler", nil)
	return nil
}

// steadyRate is the requests a second at which the answers' times are taken: a good part of what
// either server can do, so that neither has a queue.
const steadyRate = 4_000

func counting(name string, clients *load.Clients, span time.Duration, each int, server *process.Child) contender {
	return contender{name, func(ctx context.Context) (map[metric]float64, error) {
		return cost(func() (float64, error) {
			answered, err := clients.Fastest(ctx, span)
			return float64(answered * each), err
		}, server)
	}}
}

func timed(name string, clients *load.Clients, span time.Duration) contender {
	return contender{name, func(ctx context.Context) (map[metric]float64, error) {
		took, err := clients.Steady(ctx, span, steadyRate)
		if err != nil {
			return nil, err
		}
		return map[metric]float64{p50: inMs(took.ValueAtQuantile(50)), p99: inMs(took.ValueAtQuantile(99))}, nil
	}}
}

func inMs(microseconds int64) float64 { return float64(microseconds) / 1000 }
