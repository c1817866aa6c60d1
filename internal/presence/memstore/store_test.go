package memstore_test

import (
	"testing"

	"go.uber.org/goleak"

	"rollcall/internal/presence/memstore"
	"rollcall/internal/presence/presencetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newFixture(o presencetest.Options, clock *presencetest.Clock) presencetest.Fixture {
	store := memstore.New(memstore.Options{
		Shards: o.Shards, Rules: o.Rules, LevelIndex: o.LevelIndex, EventLog: o.EventLog, Now: clock.Now,
	})
	return presencetest.Fixture{Store: store, Clock: clock, Lose: store.Lose}
}

func TestContract(t *testing.T) {
	presencetest.Run(t, func(_ *testing.T, o presencetest.Options) presencetest.Fixture {
		return newFixture(o, presencetest.NewClock())
	})
}
