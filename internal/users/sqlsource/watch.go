package sqlsource

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"rollcall/internal/backoff"
	"rollcall/internal/users"
)

const (
	// channel is what the trigger of Rollcall's own table notifies. The owner
	// of another table may notify it too, with one id as the payload.
	channel = "rollcall_users"

	connectTimeout = 5 * time.Second
	// gather is how long a burst of changes is collected before it is told.
	gather = 5 * time.Millisecond

	minBackoff = 100 * time.Millisecond
	maxBackoff = 5 * time.Second
)

// Watch calls changed with the ids of users whose rows changed, at most
// users.MaxBatch at a time, and gap when changes may have been missed: at each
// connection, the first included. It reconnects by itself and returns when ctx
// ends. SQLite tells nobody of changes; there Watch only waits.
func (s *Source) Watch(ctx context.Context, changed func(ids []string), gap func()) {
	if s.dialect.postgres == nil {
		<-ctx.Done()
		return
	}
	retry := backoff.Backoff{Least: minBackoff, Most: maxBackoff}
	for deaf := false; ctx.Err() == nil; {
		err := s.listen(ctx, changed, func() {
			retry.Reset()
			if deaf {
				deaf = false
				s.log.InfoContext(ctx, "user changes are heard again")
			}
			gap()
		})
		if ctx.Err() != nil {
			return
		}
		if !deaf { // one line an outage, not one an attempt
			deaf = true
			s.log.WarnContext(ctx, "user changes are not heard; trying on", "err", err)
		}
		retry.Wait(ctx)
	}
}

// listen serves one connection until it fails.
func (s *Source) listen(ctx context.Context, changed func(ids []string), connected func()) error {
	conn, err := s.subscribe(ctx)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(ctx)
	}()
	connected()
	for {
		ids, err := s.nextChanges(ctx, conn)
		if len(ids) > 0 {
			changed(ids) // also those heard before an error
		} else if err == nil {
			err = ping(ctx, conn)
		}
		if err != nil {
			return err
		}
	}
}

func (s *Source) subscribe(ctx context.Context) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, s.dialect.postgres.Copy())
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
		return nil, errors.Join(err, conn.Close(ctx))
	}
	return conn, nil
}

// nextChanges waits for a notification and collects those that follow at
// once. It returns nothing when all was quiet for keepAlive.
func (s *Source) nextChanges(ctx context.Context, conn *pgx.Conn) ([]string, error) {
	var ids []string
	seen := map[string]bool{}
	patience := s.keepAlive
	for len(ids) < users.MaxBatch {
		id, ok, err := notification(ctx, conn, patience)
		if err != nil || !ok {
			return ids, err
		}
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
		patience = gather
	}
	return ids, nil
}

// notification waits for one for at most patience.
func notification(ctx context.Context, conn *pgx.Conn, patience time.Duration) (id string, ok bool, err error) {
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	n, err := conn.WaitForNotification(wait)
	switch {
	case err == nil:
		return n.Payload, true, nil
	case wait.Err() != nil && ctx.Err() == nil && !conn.IsClosed():
		return "", false, nil // quiet; the connection is still good
	default:
		return "", false, err
	}
}

func ping(ctx context.Context, conn *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	return conn.Ping(ctx)
}
