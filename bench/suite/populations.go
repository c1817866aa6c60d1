package suite

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"rollcall/bench/figure"
	"rollcall/bench/process"
	"rollcall/internal/presence/redisstore"
)

// population is users online in a Redis of their own.
type population struct {
	*online

	redis *process.Child
	store *redisstore.Store
}

// title names a population in the table.
func (p *population) title() string { return fmt.Sprintf("%d online", len(p.beats)) }

// populations measures what one more user costs: pages, memory and heartbeats of few users and
// of many.
func populations(ctx context.Context, r *Run) (err error) {
	var all []*population
	defer func() {
		for _, p := range all {
			err = errors.Join(err, p.close())
		}
	}()
	for _, n := range []int{r.Sizes.Few, r.Sizes.Some, r.Sizes.Many} {
		p, err := r.newPopulation(ctx, n)
		if err != nil {
			return err
		}
		all = append(all, p)
	}
	few, some, many := all[0], all[1], all[2]
	if err := r.measureMemory(ctx, many); err != nil {
		return err
	}
	if err := r.measureGrowth(ctx, few, many); err != nil {
		return err
	}
	return r.measurePages(ctx, few, some, many)
}

func (r *Run) newPopulation(ctx context.Context, n int) (*population, error) {
	redis, err := process.StartRedis(ctx, r.Dir, fmt.Sprintf("redis-%d", n))
	if err != nil {
		return nil, err
	}
	s, err := store(redis)
	if err != nil {
		redis.Stop()
		return nil, err
	}
	p := &population{redis: redis, store: s}
	if p.online, err = comeOnline(ctx, s, n, numericID); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

func (p *population) close() error {
	err := p.store.Close()
	p.redis.Stop()
	return err
}

// client talks to the population's Redis itself.
func (p *population) client() *redis.Client {
	return redis.NewClient(&redis.Options{Addr: p.redis.Addr})
}

// measureGrowth takes the heartbeats a second of few users and of many, and what Redis itself takes
// of as many: its sorted sets grow slower, too.
func (r *Run) measureGrowth(ctx context.Context, few, many *population) error {
	plain, err := process.StartRedis(ctx, r.Dir, "redis-plain")
	if err != nil {
		return err
	}
	defer plain.Stop()
	bare := func(p *population) string { return "a sorted set of " + p.title() }
	var contenders []contender
	for _, p := range []*population{few, many} {
		contenders = append(contenders,
			contender{p.title(), func(ctx context.Context) (map[metric]float64, error) {
				return cost(func() (float64, error) { return p.fastest(ctx, r.Sizes.Span) })
			}},
			contender{bare(p), func(ctx context.Context) (map[metric]float64, error) {
				_, perSecond, err := r.zadd(ctx, plain, len(p.beats))
				return map[metric]float64{rate: perSecond}, err
			}})
	}
	got, err := r.alternate(ctx, contenders...)
	if err != nil {
		return err
	}
	flat := figure.AtLeast(0.6)
	r.Table.Ratio(12, fmt.Sprintf("store, heartbeats/s with %s, %d callers with %d each", many.title(), callers, batch),
		got[many.title()][rate], got[few.title()][rate], few.title(), &flat)
	r.Table.Ratio(12, "redis-benchmark -P 64 ZADD, a second, "+bare(many),
		got[bare(many)][rate], got[bare(few)][rate], bare(few), nil)
	r.Table.Ratio(12, "the store's heartbeats, "+many.title(),
		got[many.title()][rate], got[bare(many)][rate], "redis-benchmark -P 64 ZADD, "+bare(many), nil)
	return nil
}
