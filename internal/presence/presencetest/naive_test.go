package presencetest

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The measure keeps the contract itself.
func TestNaiveContract(t *testing.T) {
	Run(t, func(_ *testing.T, o Options) Fixture { return NewNaive(o, NewClock()) })
}
