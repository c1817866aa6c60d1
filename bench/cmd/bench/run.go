package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"rollcall/bench/figure"
	"rollcall/bench/process"
	"rollcall/bench/suite"
)

type runCommand struct {
	Case     []int         `help:"Only these cases, and those that share their servers."`
	Quick    bool          `help:"Each case once and small, to check the answers."`
	Repeat   int           `help:"How often each contender is measured, if not five times."`
	Span     time.Duration `help:"How long each time, if not three seconds."`
	Profiles string        `type:"path" help:"Write processor profiles of the server to this folder."`
	Out      string        `type:"path" help:"Write the table to this file, too."`
}

// Run measures and prints the table.
func (c runCommand) Run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "rollcall-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	// #nosec G302 -- PostgreSQL runs as another user
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	if c.Profiles != "" {
		if err := os.MkdirAll(c.Profiles, 0o750); err != nil {
			return err
		}
	}
	r := &suite.Run{
		Dir: dir, Profiles: c.Profiles, Sizes: suite.Full(), Progress: os.Stderr,
		Table: &figure.Table{Judged: !c.Quick},
	}
	if c.Quick {
		r.Sizes = suite.Quick()
	}
	if c.Repeat > 0 {
		r.Sizes.Repetitions = c.Repeat
	}
	if c.Span > 0 {
		r.Sizes.Span = c.Span
	}
	r.Table.Header = header(ctx, r.Sizes)
	if r.Rollcall, err = process.BuildRollcall(ctx, dir, c.Profiles != ""); err != nil {
		return err
	}
	err = r.Measure(ctx, c.Case)
	fmt.Print(r.Table)
	if c.Out != "" && err == nil {
		err = os.WriteFile(c.Out, []byte(r.Table.String()), 0o600)
	}
	return err
}
