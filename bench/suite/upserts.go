package suite

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// connections are those of the pool: more of them share a flush of the log, and take longer on
// few processors.
const connections = 32

// The table that a first version of presence has, and its statements. Rows of one statement are sorted, so that
// no two wait for each other's.
const (
	presenceTable = `
		CREATE TABLE presence (user_id text PRIMARY KEY, device_id text NOT NULL, last_seen timestamptz NOT NULL);
		CREATE INDEX presence_last_seen ON presence (last_seen);`
	upsert = `
		INSERT INTO presence (user_id, device_id, last_seen) VALUES ($1, $2, now())
		ON CONFLICT (user_id) DO UPDATE SET device_id = excluded.device_id, last_seen = excluded.last_seen`
	upsertMany = `
		INSERT INTO presence (user_id, device_id, last_seen)
		SELECT u, d, now() FROM unnest($1::text[], $2::text[]) AS beat (u, d) ORDER BY u
		ON CONFLICT (user_id) DO UPDATE SET device_id = excluded.device_id, last_seen = excluded.last_seen`
)

// upserts is users in PostgreSQL.
type upserts struct {
	pool  *pgxpool.Pool
	users int
}

func newUpserts(ctx context.Context, url string, users int) (*upserts, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.MaxConns = connections
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	u := &upserts{pool: pool, users: users}
	if _, err = pool.Exec(ctx, presenceTable); err == nil {
		err = u.upsert(ctx, u.every())
	}
	if err != nil {
		pool.Close()
		return nil, err
	}
	return u, nil
}

func (u *upserts) close() { u.pool.Close() }

func (u *upserts) every() []int {
	all := make([]int, u.users)
	for i := range all {
		all[i] = i
	}
	return all
}

// single sends a statement for each heartbeat.
func (u *upserts) single(ctx context.Context, span time.Duration) (float64, error) {
	return together(connections, span, func(caller int) func() (int, error) {
		random := rand.New(rand.NewPCG(uint64(caller), 2))
		return func() (int, error) {
			i := random.IntN(u.users)
			tag, err := u.pool.Exec(ctx, upsert, numericID(i), device(i))
			return int(tag.RowsAffected()), err
		}
	})
}

// many sends a statement for a batch of heartbeats, as large as those of the store.
func (u *upserts) many(ctx context.Context, span time.Duration) (float64, error) {
	return together(connections, span, func(caller int) func() (int, error) {
		random := rand.New(rand.NewPCG(uint64(caller), 2))
		return func() (int, error) {
			picked := make([]int, batch)
			for i := range picked {
				picked[i] = random.IntN(u.users)
			}
			slices.Sort(picked)
			picked = slices.Compact(picked) // a statement must not change a row twice
			return len(picked), u.upsert(ctx, picked)
		}
	})
}

func (u *upserts) upsert(ctx context.Context, users []int) error {
	ids, devices := make([]string, len(users)), make([]string, len(users))
	for i, user := range users {
		ids[i], devices[i] = numericID(user), device(user)
	}
	_, err := u.pool.Exec(ctx, upsertMany, ids, devices)
	return err
}
