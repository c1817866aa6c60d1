package suite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"rollcall/internal/presence"
	"rollcall/internal/presence/redisstore"
)

// online is users in a store, by the beats that extend their sessions.
type online struct {
	store *redisstore.Store
	beats []presence.Beat
}

// demoUser is the i-th demo user who has a number.
func demoUser(i int) string { return "user-" + strconv.Itoa(i+1) }

// numericID is an id as databases make them.
func numericID(i int) string { return strconv.Itoa(1_000_000 + i) }

// device is as clients name theirs: 36 characters.
func device(i int) string { return fmt.Sprintf("3f2b8c1e-7a4d-4e9b-9c55-%012d", i) }

// signInRetries are for a store that is too busy with many sign-ins at once.
const signInRetries = 10

// comeOnline signs n users in.
func comeOnline(ctx context.Context, s *redisstore.Store, n int, user func(i int) string) (*online, error) {
	o := &online{store: s, beats: make([]presence.Beat, n)}
	const each = 1000
	parts := make(chan int)
	var signing sync.WaitGroup
	var failed atomic.Pointer[error]
	for range callers / 10 {
		signing.Go(func() {
			for from := range parts {
				if err := o.signIn(ctx, from, min(n, from+each), user); err != nil {
					failed.Store(&err)
				}
			}
		})
	}
	for from := 0; from < n; from += each {
		parts <- from
	}
	close(parts)
	signing.Wait()
	if err := failed.Load(); err != nil {
		return nil, *err
	}
	return o, nil
}

func (o *online) signIn(ctx context.Context, from, to int, user func(i int) string) error {
	part := o.beats[from:to]
	for i := range part {
		part[i] = presence.Beat{UserID: user(from + i), DeviceID: device(from + i)}
	}
	results, err := o.store.Beat(ctx, part)
	for range signInRetries {
		if !tooBusy(err) {
			break
		}
		results, err = o.store.Beat(ctx, part)
	}
	if err != nil {
		return err
	}
	for i, result := range results {
		if result.Err != nil {
			return result.Err
		}
		part[i].Epoch = result.Epoch
	}
	return nil
}

// tooBusy says that a store did not answer in time, as it may on a busy machine.
func tooBusy(err error) bool {
	_, unavailable := errors.AsType[*presence.UnavailableError](err)
	return unavailable
}

// refresh sends heartbeats that have nothing to do but extend their sessions.
func (o *online) refresh(ctx context.Context, beats []presence.Beat) error {
	results, err := o.store.Beat(ctx, beats)
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

// steadily sends heartbeats at a rate, late ones together, until it is stopped, which tells how many
// were accepted a second, or what went wrong.
func (o *online) steadily(ctx context.Context, perSecond int) (stop func() (float64, error)) {
	ctx, cancel := context.WithCancel(ctx)
	began, sent := time.Now(), 0
	ended := make(chan error, 1)
	go func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for next := 0; ; {
			select {
			case <-tick.C:
			case <-ctx.Done():
				ended <- nil
				return
			}
			due := max(0, int(time.Since(began).Seconds()*float64(perSecond))-sent)
			next %= len(o.beats)
			part := o.beats[next:min(next+due, next+presence.MaxBeats, len(o.beats))]
			err := o.refresh(ctx, part)
			if err != nil && ctx.Err() == nil && !tooBusy(err) {
				ended <- err
				return
			}
			if err == nil {
				sent += len(part)
			}
			next += len(part)
		}
	}()
	return func() (float64, error) {
		cancel()
		err := <-ended
		return float64(sent) / time.Since(began).Seconds(), err
	}
}

const (
	// callers send batches of heartbeats at the same time,
	callers = 50
	// each of so many.
	batch = 64
)

// fastest sends batches of random users' heartbeats as fast as they are answered, and returns how
// many were.
func (o *online) fastest(ctx context.Context, span time.Duration) (float64, error) {
	return together(callers, span, func(caller int) func() (int, error) {
		random := rand.New(rand.NewPCG(uint64(caller), 1))
		beats := make([]presence.Beat, batch)
		return func() (int, error) {
			for i := range beats {
				beats[i] = o.beats[random.IntN(len(o.beats))]
			}
			err := o.refresh(ctx, beats)
			if tooBusy(err) {
				return 0, nil
			}
			return batch, err
		}
	})
}

// together calls what each of n callers does, again and again for a time, and adds up what that
// returns.
func together(n int, span time.Duration, caller func(i int) func() (int, error)) (float64, error) {
	var calling sync.WaitGroup
	var done atomic.Int64
	var failed atomic.Pointer[error]
	began := time.Now()
	for i := range n {
		do := caller(i)
		calling.Go(func() {
			for time.Since(began) < span && failed.Load() == nil {
				n, err := do()
				if err != nil {
					failed.Store(&err)
					return
				}
				done.Add(int64(n))
			}
		})
	}
	calling.Wait()
	if err := failed.Load(); err != nil {
		return 0, *err
	}
	return float64(done.Load()), nil
}
