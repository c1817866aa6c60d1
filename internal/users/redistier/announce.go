package redistier

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/redis/go-redis/v9"

	"rollcall/internal/backoff"
)

const (
	minBackoff = 50 * time.Millisecond
	maxBackoff = 2 * time.Second
)

// Announce implements directory.Tier. The message is a JSON array of ids.
func (t *Tier) Announce(ctx context.Context, ids []string) error {
	message, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	if err := t.client.Publish(ctx, t.channel(), message).Err(); err != nil {
		return fmt.Errorf("announce users: %w", err)
	}
	return nil
}

// Watch implements directory.Changes. Redis keeps nothing for a subscriber that
// is away, so each subscription, the first included, begins with a gap.
func (t *Tier) Watch(ctx context.Context, changed func(ids []string), gap func()) {
	retry := backoff.Backoff{Least: minBackoff, Most: maxBackoff}
	for ctx.Err() == nil {
		t.subscribe(ctx, changed, func() {
			retry.Reset()
			gap()
		})
		retry.Wait(ctx)
	}
}

// subscribe serves one subscription until it fails, which the caller can only
// answer by another: what failed is told by the calls that carry a result.
//
// It does not use the client's own Channel, which pings but does not look for
// the answer, and so stays with a server that is gone without a word.
func (t *Tier) subscribe(ctx context.Context, changed func(ids []string), subscribed func()) {
	sub := t.client.Subscribe(ctx, t.channel())
	defer func() { _ = sub.Close() }()
	defer context.AfterFunc(ctx, func() { _ = sub.Close() })() // ends the wait below

	pinged := false
	for ctx.Err() == nil {
		message, err := sub.ReceiveTimeout(ctx, t.quiet)
		var timeout net.Error
		switch {
		case err == nil:
			pinged = false
		case errors.As(err, &timeout) && timeout.Timeout() && !pinged:
			pinged = true
			if sub.Ping(ctx) != nil {
				return
			}
			continue
		default:
			return
		}
		switch m := message.(type) {
		case *redis.Subscription:
			subscribed()
		case *redis.Message:
			var ids []string
			if err := json.Unmarshal([]byte(m.Payload), &ids); err != nil {
				subscribed() // not ours to read: anything may have changed
				continue
			}
			changed(ids)
		}
	}
}
