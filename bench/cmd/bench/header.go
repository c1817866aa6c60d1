package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"rollcall/bench/process"
	"rollcall/bench/suite"
)

// header says where, when and with what it is measured.
func header(ctx context.Context, s suite.Sizes) []string {
	postgres := "none"
	if bin, err := process.PostgresPrograms(); err == nil {
		postgres = said(ctx, filepath.Join(bin, "postgres"), "--version")
	}
	return []string{
		fmt.Sprintf("%s, commit %s.", time.Now().Format(time.DateOnly), said(ctx, "git", "describe", "--always", "--dirty")),
		"",
		fmt.Sprintf("- Machine: %d CPUs (%s), %s, load before %s. Servers, Redis and the load share them.",
			runtime.NumCPU(), processor(), said(ctx, "uname", "-sr"), loadAverage()),
		fmt.Sprintf("- %s, %s, %s. Redis keeps nothing on disk.", runtime.Version(), said(ctx, "redis-server", "--version"), postgres),
		fmt.Sprintf("- Median and range of %d repetitions of %v after a warm-up, contenders in turn; a ratio is that of neighbours in time.",
			s.Repetitions, s.Span),
	}
}

// said is the first line of what a program says, cut to what is of interest.
func said(ctx context.Context, program string, args ...string) string {
	out, err := exec.CommandContext(ctx, program, args...).Output() // #nosec G204 -- the programs are those above
	if err != nil {
		return "unknown"
	}
	line, _, _ := strings.Cut(string(out), "\n")
	line, _, _ = strings.Cut(line, " sha=") // redis-server tells more than its version
	line, _, _ = strings.Cut(line, " (")
	return line
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
