package suite

import (
	"context"
	"fmt"
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
			return cost(func() (float64, error) { return users.fastest(ctx, r.Sizes.Span) }, redis)
		}},
		{"ZADD", func(ctx context.Context) (map[metric]float64, error) {
			var perSecond float64
			measured, err := cost(func() (n float64, err error) {
				n, perSecond, err = r.zadd(ctx, plain, r.Sizes.Online)
				return n, err
			}, plain)
			if err != nil {
				return nil, err
			}
			measured[rate] = perSecond // by its own clock: it takes a while to start
			return measured, nil
		}},
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
				return cost(func() (float64, error) { return upserts.single(ctx, r.Sizes.Span) }, postgres)
			}},
			contender{name + ", many rows", func(ctx context.Context) (map[metric]float64, error) {
				return cost(func() (float64, error) { return upserts.many(ctx, r.Sizes.Span) }, postgres)
			}},
		)
	}
	got, err := r.alternate(ctx, contenders...)
	if err != nil {
		return err
	}
	twenty, part := figure.AtLeast(20), figure.AtLeast(0.35)
	what := fmt.Sprintf("store, heartbeats of %d users, %d callers with %d each, ", r.Sizes.Online, callers, batch)
	against := func(number int, name, title string, target *figure.Target) {
		r.Table.Ratio(number, what+"a second", got["store"][rate], got[name][rate], title, target)
		r.Table.Ratio(number, what+"for each second of the server's processor time", got["store"][perCPU], got[name][perCPU], title, nil)
	}
	against(1, "fsync on", fmt.Sprintf("PostgreSQL, an UPSERT each over %d connections, fsync on", connections), &twenty)
	against(1, "fsync off", "the same, fsync off", nil)
	against(1, "fsync on, many rows", fmt.Sprintf("PostgreSQL, UPSERTs of %d rows, fsync on", batch), nil)
	against(1, "fsync off, many rows", "the same, fsync off", nil)
	against(2, "ZADD", "redis-benchmark -P 64 ZADD", &part)
	return nil
}
