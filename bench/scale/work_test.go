package scale

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// watch is when a watch of the servers began, and what they had used by then.
type watch struct {
	since time.Time
	work
}

// work is what all primaries together have done.
type work struct {
	scripts time.Duration // from a script's begin to its end, whoever had the CPU meanwhile
	calls   float64       // of scripts
	cpu     time.Duration // of the main threads, whatever they did
}

func (p *population) watchScripts(t *testing.T) watch {
	t.Helper()
	w := watch{since: time.Now()}
	for _, server := range p.servers {
		info, err := server.InfoMap(t.Context(), "commandstats", "cpu").Result()
		require.NoError(t, err)
		var calls, usec int64
		_, err = fmt.Sscanf(info["Commandstats"]["cmdstat_evalsha"], "calls=%d,usec=%d,", &calls, &usec)
		require.NoError(t, err)
		w.calls += float64(calls)
		w.scripts += time.Duration(usec) * time.Microsecond
		w.cpu += seconds(t, info["CPU"]["used_cpu_user_main_thread"]) + seconds(t, info["CPU"]["used_cpu_sys_main_thread"])
	}
	return w
}

func seconds(t *testing.T, number string) time.Duration {
	t.Helper()
	n, err := strconv.ParseFloat(number, 64)
	require.NoError(t, err)
	return time.Duration(n * float64(time.Second))
}

// used is the work of each second of the watch.
func (w watch) used(t *testing.T, p *population) work {
	t.Helper()
	now := p.watchScripts(t)
	elapsed := now.since.Sub(w.since).Seconds()
	return work{
		scripts: time.Duration(float64(now.scripts-w.scripts) / elapsed),
		calls:   (now.calls - w.calls) / elapsed,
		cpu:     time.Duration(float64(now.cpu-w.cpu) / elapsed),
	}
}
