package scale

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// table is what was measured, as docs/benchmarks.md shows it.
type table struct {
	lines []string
	// judged says that the populations have the sizes that the targets are for.
	judged bool
}

// header says where and when it is measured.
func (r *table) header(t *testing.T, p *population) {
	t.Helper()
	info, err := p.servers[0].InfoMap(t.Context(), "server").Result()
	require.NoError(t, err)
	r.lines = append(
		r.lines,
		fmt.Sprintf("\n%s: %d CPUs, %s/%s, %s, Redis %s, load before %s. %s users (%s ids) and %s users, each on 3 primaries, %d shards, TTL %v.",
			time.Now().Format(time.DateOnly), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(),
			info["Server"]["redis_version"], loadAverage(), thousands(p.plan.users), *ids, thousands(p.plan.few), shards, p.plan.ttl),
		"",
		"| measure | figure | target | |",
		"|---|---|---|---|",
	)
}

// add is a figure that has a target.
func (r *table) add(measure, figure, target string, met bool) {
	verdict := "missed"
	switch {
	case !r.judged:
		verdict = ""
	case met:
		verdict = "met"
	}
	r.lines = append(r.lines, fmt.Sprintf("| %s | %s | %s | %s |", measure, figure, target, verdict))
}

// note is a figure that has none.
func (r *table) note(measure, figure string) {
	r.lines = append(r.lines, fmt.Sprintf("| %s | %s | | |", measure, figure))
}

func (r *table) String() string { return strings.Join(r.lines, "\n") + "\n" }

// loadAverage is how busy the machine was in the last minute, where it tells.
func loadAverage() string {
	content, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(content), " ")
	return first
}
