package memstore_test

import (
	"testing"

	"pgregory.net/rapid"

	"rollcall/internal/presence/presencetest"
)

// model compares this store with one that is too plain to be wrong.
func model(seen *presencetest.Coverage) func(*rapid.T) {
	return func(t *rapid.T) {
		clock := presencetest.NewClock()
		o := presencetest.ModelOptions()
		presencetest.Model(t, newFixture(o, clock), presencetest.NewNaive(o, clock), seen)
	}
}

func TestModel(t *testing.T) {
	seen := presencetest.NewCoverage()
	rapid.Check(t, model(seen))
	seen.Require(t)
}

func FuzzModel(f *testing.F) { f.Fuzz(rapid.MakeFuzz(model(presencetest.NewCoverage()))) }

func TestHistoryModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clock := presencetest.NewClock()
		o := presencetest.ModelOptions()
		presencetest.HistoryModel(t, newFixture(o, clock), presencetest.NewNaive(o, clock))
	})
}
