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
type table struct{ lines []string }

// Whether a target was met.
const (
	unjudged = ""
	met      = "met"
	missed   = "missed"
)

func verdict(ok bool) string {
	if ok {
		return met
	}
	return missed
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

func (r *table) add(measure, figure, target, verdict string) {
	r.lines = append(r.lines, fmt.Sprintf("| %s | %s | %s | %s |", measure, figure, target, verdict))
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
