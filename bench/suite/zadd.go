package suite

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"net"
	"os/exec"
	"strconv"
	"strings"

	"rollcall/bench/process"
)

// zadd lets Redis' own client do the least that a heartbeat of so many users could be, and returns
// how often it did that, and how often in a second.
func (r *Run) zadd(ctx context.Context, redis *process.Child, users int) (n, perSecond float64, err error) {
	host, port, err := net.SplitHostPort(redis.Addr)
	if err != nil {
		return 0, 0, err
	}
	const each = 350_000 // about what it does in a second
	n = math.Floor(each * r.Sizes.Span.Seconds())
	// #nosec G204 -- the arguments are ours
	out, err := exec.CommandContext(ctx, "redis-benchmark", "-h", host, "-p", port, "--csv",
		"-c", strconv.Itoa(callers), "-P", "64", "-r", strconv.Itoa(users), "-n", strconv.Itoa(int(n)),
		"ZADD", fmt.Sprintf("online:%d", users), "__rand_int__", "__rand_int__").Output()
	if err != nil {
		return 0, 0, fmt.Errorf("redis-benchmark: %w", err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(out))).ReadAll()
	if err != nil || len(rows) == 0 || len(rows[len(rows)-1]) < 2 {
		return 0, 0, errors.Join(fmt.Errorf("redis-benchmark says %q", out), err)
	}
	perSecond, err = strconv.ParseFloat(rows[len(rows)-1][1], 64)
	return n, perSecond, err
}
