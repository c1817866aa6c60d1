package suite

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strconv"
	"strings"

	"rollcall/bench/figure"
	"rollcall/bench/process"
)

// beats measures the store's heartbeats next to an UPSERT in PostgreSQL, as people
// build presence, and to what Redis takes from its own C client.
func beats(ctx context.Context, r *Run) error {
	redis, err := process.StartRedis(ctx, r.Dir, "redis")
	if err != nil {
		return err
	}
	defer redis.Stop()
	s, err := store(redis)
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	users, err := comeOnline(ctx, s, r.Sizes.Online, numericID)
	if err != nil {
		return err
	}
	plain, err := process.StartRedis(ctx, r.Dir, "redis-plain")
	if err != nil {
		return err
	}
	defer plain.Stop()
	contenders := []contender{
		{"store", func(ctx context.Context) (map[metric]float64, error) {
			return cost(func() (float64, error) { return users.fastest(ctx, r.Sizes.Span) })
		}},
		{"ZADD", func(ctx context.Context) (map[metric]float64, error) { return r.zadd(ctx, plain) }},
	}
	for _, fsync := range []bool{true, false} {
		name := "fsync " + map[bool]string{true: "on", false: "off"}[fsync]
		postgres, err := process.StartPostgres(ctx, r.Dir, strings.ReplaceAll("postgres "+name, " ", "-"), fsync)
		if err != nil {
			return err
		}
		defer postgres.Stop()
		upserts, err := newUpserts(ctx, process.PostgresURL(postgres.Addr), r.Sizes.Online)
		if err != nil {
			return err
		}
		defer upserts.close()
		contenders = append(contenders,
			contender{name, func(ctx context.Context) (map[metric]float64, error) {
				return cost(func() (float64, error) { return upserts.single(ctx, r.Sizes.Span) })
			}},
			contender{name + ", many rows", func(ctx context.Context) (map[metric]float64, error) {
				return cost(func() (float64, error) { return upserts.many(ctx, r.Sizes.Span) })
			}},
		)
	}
	got, err := r.alternate(ctx, contenders...)
	if err != nil {
		return err
	}
	twenty, part := figure.AtLeast(20), figure.AtLeast(0.35)
	what := fmt.Sprintf("store, heartbeats/s of %d users, %d callers with %d each", r.Sizes.Online, callers, batch)
	ours := got["store"][rate]
	r.Table.Ratio(1, what, ours, got["fsync on"][rate], "PostgreSQL, an UPSERT a beat, fsync on", &twenty)
	r.Table.Ratio(1, what, ours, got["fsync off"][rate], "the same, fsync off", nil)
	r.Table.Ratio(1, what, ours, got["fsync on, many rows"][rate], fmt.Sprintf("%d rows an UPSERT, fsync on", batch), nil)
	r.Table.Ratio(1, what, ours, got["fsync off, many rows"][rate], "the same, fsync off", nil)
	r.Table.Ratio(2, what, ours, got["ZADD"][rate], "redis-benchmark -P 64 ZADD", &part)
	return nil
}

// zadd lets Redis' own client do the least that a heartbeat could be.
func (r *Run) zadd(ctx context.Context, redis *process.Child) (map[metric]float64, error) {
	host, port, err := net.SplitHostPort(redis.Addr)
	if err != nil {
		return nil, err
	}
	const most = 350_000 // about what it does in a second
	// #nosec G204 -- the arguments are ours
	out, err := exec.CommandContext(ctx, "redis-benchmark", "-h", host, "-p", port, "--csv",
		"-c", strconv.Itoa(callers), "-P", "64", "-r", strconv.Itoa(r.Sizes.Online), "-n", strconv.Itoa(int(most*r.Sizes.Span.Seconds())),
		"ZADD", "online", "__rand_int__", "__rand_int__").Output()
	if err != nil {
		return nil, fmt.Errorf("redis-benchmark: %w", err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(out))).ReadAll()
	if err != nil || len(rows) == 0 || len(rows[len(rows)-1]) < 2 {
		return nil, errors.Join(fmt.Errorf("redis-benchmark says %q", out), err)
	}
	perSecond, err := strconv.ParseFloat(rows[len(rows)-1][1], 64)
	return map[metric]float64{rate: perSecond}, err
}
