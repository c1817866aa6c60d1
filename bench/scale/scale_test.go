package scale

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestScale is one run: both populations come online, then one thing after the
// other is measured.
func TestScale(t *testing.T) {
	id, known := idKinds[*ids]
	require.True(t, known, "-ids %s", *ids)
	p := plan{users: *users, few: *few, id: id, ttl: *ttl, span: *span}
	require.GreaterOrEqual(t, p.few, 2*pageSize)
	require.GreaterOrEqual(t, p.users, p.few)

	report := table{judged: p.users >= 1_000_000 && p.few == 10_000}
	small, large := newPopulation(t, p), newPopulation(t, p)
	report.header(t, large)

	measureMemory(t, &report, large, func() {
		small.signIn(t, p.few)
		large.signIn(t, p.users)
	})
	measureImbalance(t, &report, large)
	measureBeats(t, &report, small, large)
	measureNaturalLoad(t, &report, small, large)
	measurePages(t, &report, small, large)

	w := newWitness(t, large)
	measureSweeps(t, &report, large, w)
	measureStorm(t, &report, large, w)
	w.check(t, large)

	if testing.Verbose() {
		fmt.Fprintln(os.Stdout, report.String())
	}
}
