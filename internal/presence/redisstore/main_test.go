package redisstore

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"rollcall/internal/presence"
	"rollcall/internal/redistest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(redistest.Main(m),
		// A pool that could not dial looks once a second whether it was closed.
		goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial"))
}

// scope is the part of a test, or of one run of a property, that a store lives for.
type scope interface {
	require.TestingT
	Helper()
	Cleanup(func())
}

// open is a store that is closed with its scope, by default under a fresh prefix of
// the shared server.
func open(t scope, opts Options) *Store {
	t.Helper()
	if tb, ok := t.(testing.TB); ok && opts.URL == "" {
		opts.URL, opts.Prefix = redistest.Shared(tb).URL(), redistest.Prefix(tb)
	}
	if opts.Shards == 0 {
		opts.Shards = 4
	}
	if opts.Rules == (presence.Rules{}) {
		opts.Rules = presence.DefaultRules()
	}
	s, err := Open(opts)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}
