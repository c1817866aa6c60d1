package throttle

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/auth"
	"rollcall/internal/presence"
	"rollcall/internal/rate"
	"rollcall/internal/server/address"
)

// shared is a limit that is used up after so many.
type shared struct{ left int }

func (s *shared) Take(context.Context, string) time.Duration {
	if s.left--; s.left < 0 {
		return 7 * time.Second
	}
	return 0
}

func caller(id string, role auth.Role) auth.Caller { return auth.Caller{ID: id, Role: role} }

// from is a context of a caller at an address.
func from(t *testing.T, c auth.Caller, client string) context.Context {
	ctx := t.Context()
	if c.ID != "" {
		ctx = auth.WithCaller(ctx, c)
	}
	return address.With(ctx, netip.MustParseAddr(client))
}

func requireRefused(t *testing.T, err error, after time.Duration) {
	t.Helper()
	limited, ok := errors.AsType[*presence.RateLimitedError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, after, limited.RetryAfter)
}

func still() time.Time { return time.Unix(1000, 0) }

func TestUsersAndAddressesHaveTheirOwnLimits(t *testing.T) {
	ann, bob, cleo := caller("ann", auth.User), caller("bob", auth.User), caller("cleo", auth.User)
	for name, tt := range map[string]struct {
		limits Limits
		ask    func(th *Throttle, ctx context.Context, c auth.Caller) error
	}{
		"beats": {
			Limits{UserBeats: rate.Limit{Count: 2, Per: 2 * time.Second}, AddressBeats: rate.Limit{Count: 3, Per: 3 * time.Second}},
			func(th *Throttle, ctx context.Context, c auth.Caller) error { return th.Beat(ctx, c, false) },
		},
		"sign-ins": {
			Limits{UserSignIns: rate.Limit{Count: 2, Per: 2 * time.Second}, AddressSignIns: rate.Limit{Count: 3, Per: 3 * time.Second}},
			func(th *Throttle, ctx context.Context, c auth.Caller) error { return th.Beat(ctx, c, true) },
		},
		"operations": {
			Limits{UserCost: rate.Limit{Count: 20, Per: 2 * time.Second}, AddressCost: rate.Limit{Count: 30, Per: 3 * time.Second}},
			func(th *Throttle, ctx context.Context, _ auth.Caller) error { return th.Charge(ctx, 10) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			th := New(tt.limits, nil, still)
			const here, elsewhere = "192.0.2.1", "192.0.2.2"
			ask := func(c auth.Caller, client string) error { return tt.ask(th, from(t, c, client), c) }
			require.NoError(t, ask(ann, here))
			require.NoError(t, ask(ann, elsewhere))
			requireRefused(t, ask(ann, elsewhere), time.Second)
			require.NoError(t, ask(bob, here))
			require.NoError(t, ask(bob, here))
			requireRefused(t, ask(cleo, here), time.Second)
			for range 10 {
				require.NoError(t, ask(caller("gate", auth.Service), here), "a gateway has no limit")
				require.NoError(t, ask(caller("root", auth.Admin), here))
			}
			for _, user := range []string{"d", "e", "f", "g"} {
				require.NoError(t, ask(caller(user, auth.User), "127.0.0.1"), "this machine's own address is not counted")
			}
		})
	}
}

func TestWhoeverIsNobodyHasTheirAddressesLimit(t *testing.T) {
	th := New(Limits{UserCost: rate.Limit{Count: 1, Per: time.Second}, AddressCost: rate.Limit{Count: 2, Per: 2 * time.Second}}, nil, still)
	ctx := from(t, auth.Caller{}, "192.0.2.1")
	require.NoError(t, th.Charge(ctx, 1))
	require.NoError(t, th.Charge(ctx, 1))
	requireRefused(t, th.Charge(ctx, 1), time.Second)
}

func TestSignInsAreLimitedAcrossNodes(t *testing.T) {
	all := &shared{left: 1}
	th := New(Limits{}, all, still)
	ann := caller("ann", auth.User)
	ctx := from(t, ann, "127.0.0.1")
	require.NoError(t, th.Beat(ctx, ann, false))
	require.NoError(t, th.Beat(ctx, ann, true))
	requireRefused(t, th.Beat(ctx, ann, true), 7*time.Second)
	require.NoError(t, th.Beat(ctx, ann, false), "beats are not asked about")
}

func TestOnlyCallersBeat(t *testing.T) {
	th := New(Limits{}, nil, still)
	_, err := Service{Throttle: th}.Heartbeat(t.Context(), presence.Heartbeat{})
	require.ErrorIs(t, err, auth.ErrUnauthenticated)
	_, err = Keeper{Throttle: th}.Keep(t.Context(), presence.Heartbeat{}, nil)
	require.ErrorIs(t, err, auth.ErrUnauthenticated)
}
