// Package throttle refuses callers who ask for too much at a time.
package throttle

import (
	"context"
	"time"

	"rollcall/internal/auth"
	"rollcall/internal/presence"
	"rollcall/internal/rate"
	"rollcall/internal/server/address"
)

// Limits are how much each user, and each address, may ask of a node. Those of costs are in the units of an operation's cost.
type Limits struct {
	UserBeats, AddressBeats     rate.Limit
	UserSignIns, AddressSignIns rate.Limit
	UserCost, AddressCost       rate.Limit
}

// Shared is a limit across all nodes.
type Shared interface {
	// Take takes one of a key; retryAfter is 0 if there was one.
	Take(ctx context.Context, key string) (retryAfter time.Duration)
}

// Throttle keeps limits. SERVICE and ADMIN are trusted, and have none.
type Throttle struct {
	userBeats, addressBeats     *rate.Buckets
	userSignIns, addressSignIns *rate.Buckets
	userCost, addressCost       *rate.Buckets
	signIns                     Shared // nil: none
}

// New keeps limits on a node; signIns, if it is not nil, keeps that of a user's sign-ins across nodes.
func New(l Limits, signIns Shared, now func() time.Time) *Throttle {
	return &Throttle{
		userBeats: rate.NewBuckets(l.UserBeats, now), addressBeats: rate.NewBuckets(l.AddressBeats, now),
		userSignIns: rate.NewBuckets(l.UserSignIns, now), addressSignIns: rate.NewBuckets(l.AddressSignIns, now),
		userCost: rate.NewBuckets(l.UserCost, now), addressCost: rate.NewBuckets(l.AddressCost, now),
		signIns: signIns,
	}
}

// Charge takes an operation's cost from what its caller may ask for, or refuses it by a [*presence.RateLimitedError].
func (t *Throttle) Charge(ctx context.Context, cost int) error {
	caller, err := auth.FromContext(ctx)
	if trusted(caller) {
		return nil
	}
	user := caller.ID
	if err != nil { // nobody in particular: only their address counts
		user = ""
	}
	return take(ctx, "too many operations, or too large ones", user, cost, t.userCost, t.addressCost)
}

// Beat admits a heartbeat of a caller, or refuses it by a [*presence.RateLimitedError].
func (t *Throttle) Beat(ctx context.Context, caller auth.Caller, signsIn bool) error {
	if trusted(caller) {
		return nil
	}
	if err := take(ctx, "too many heartbeats", caller.ID, 1, t.userBeats, t.addressBeats); err != nil || !signsIn {
		return err
	}
	const tooMany = "too many sign-ins"
	if err := take(ctx, tooMany, caller.ID, 1, t.userSignIns, t.addressSignIns); err != nil {
		return err
	}
	if t.signIns == nil {
		return nil
	}
	return refusal(tooMany, t.signIns.Take(ctx, caller.ID))
}

func trusted(caller auth.Caller) bool {
	return caller.Role == auth.Service || caller.Role == auth.Admin
}

// take takes n of a user's and of their address's bucket.
func take(ctx context.Context, tooMuch, user string, n int, users, addresses *rate.Buckets) error {
	if client := address.Counted(ctx); client != "" {
		if err := refusal(tooMuch+" from this address", addresses.Take(client, n)); err != nil {
			return err
		}
	}
	if user == "" {
		return nil
	}
	return refusal(tooMuch, users.Take(user, n))
}

func refusal(message string, retryAfter time.Duration) error {
	if retryAfter == 0 {
		return nil
	}
	return &presence.RateLimitedError{Message: message, RetryAfter: retryAfter}
}
