package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"rollcall/bench/suite"
	"rollcall/internal/pgtest"
)

// header says where, when and with what it is measured.
func header(ctx context.Context, s suite.Sizes) []string {
	postgres := "none"
	if bin, err := pgtest.Programs(); err == nil {
		postgres = said(ctx, filepath.Join(bin, "postgres"), "--version")
	}
	return []string{
		fmt.Sprintf("%s, commit %s.", time.Now().Format(time.DateOnly), said(ctx, "git", "describe", "--always", "--dirty")),
		"",
		fmt.Sprintf("- Machine: %d CPUs (%s), %s, load before %s. Servers, Redis and the load share them.",
			runtime.NumCPU(), processor(), said(ctx, "uname", "-sr"), loadAverage()),
		fmt.Sprintf("- %s, %s, %s. Redis keeps nothing on disk.", runtime.Version(), said(ctx, "redis-server", "--version"), postgres),
		fmt.Sprintf("- An fsync of 8 KB takes %v.", fsync()),
		fmt.Sprintf("- Median and range of %d repetitions of %v after a warm-up, contenders in turn; a ratio is that of neighbours in time.",
			s.Repetitions, s.Span),
	}
}

// said is the first line of what a program says.
func said(ctx context.Context, program string, args ...string) string {
	out, err := exec.CommandContext(ctx, program, args...).Output() // #nosec G204 -- the programs are those above
	if err != nil {
		return "unknown"
	}
	line, _, _ := strings.Cut(string(out), "\n")
	line, _, _ = strings.Cut(line, " sha=") // redis-server tells more than its version
	return strings.Replace(line, " v=", " ", 1)
}

// processor is the processors' name, where the system tells.
func processor() string {
	content, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(content)) {
		if name, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// loadAverage is how busy the machine was in the last minute, where it tells.
func loadAverage() string {
	content, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(content), " ")
	return first
}

// fsync is how long it takes to have a page on disk where the databases are: the median of some.
func fsync() time.Duration {
	const tries = 51
	file, err := os.CreateTemp("", "rollcall-bench-fsync-")
	if err != nil {
		return 0
	}
	defer func() {
		_ = file.Close()
		_ = os.Remove(file.Name())
	}()
	took := make([]time.Duration, tries)
	for i := range took {
		began := time.Now()
		if _, err := file.Write(make([]byte, 8<<10)); err != nil {
			return 0
		}
		if err := file.Sync(); err != nil {
			return 0
		}
		took[i] = time.Since(began)
	}
	slices.Sort(took)
	return took[tries/2].Round(time.Microsecond)
}
