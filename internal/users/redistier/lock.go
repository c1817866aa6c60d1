package redistier

import (
	"context"
	"errors"
	"time"

	"github.com/go-redsync/redsync/v4"
)

const (
	// lockExpiry frees the lock of a holder that died. It is longer than a load
	// may take.
	lockExpiry = 3 * time.Second
	// unlockBudget bounds the release, which nobody needs to wait for: an
	// unreleased lock ends by itself.
	unlockBudget = 100 * time.Millisecond
)

// TryLock implements directory.Tier. There is one Redis to ask, or one shard
// of a Ring or Cluster: the lock saves work and is not needed to be right, so
// it does without a quorum of independent servers.
func (t *Tier) TryLock(ctx context.Context, ids []string) (unlock func(), ok bool, err error) {
	m := t.locks.NewMutex(t.loadKey(ids), redsync.WithExpiry(lockExpiry))
	err = m.TryLockContext(ctx)
	var taken *redsync.ErrTaken
	switch {
	case errors.As(err, &taken):
		return nil, false, nil
	case err != nil:
		return nil, false, err
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unlockBudget)
		defer cancel()
		_, _ = m.UnlockContext(ctx)
	}, true, nil
}
