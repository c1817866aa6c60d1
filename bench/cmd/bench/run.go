package main

import (
	"cmp"
	"context"
	"errors"
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
	r := &suite.Run{Sizes: suite.Full(), Progress: os.Stderr, Table: &figure.Table{Judged: !c.Quick}, Profiles: c.Profiles}
	if c.Quick {
		r.Sizes = suite.Quick()
	}
	r.Sizes.Repetitions = cmp.Or(c.Repeat, r.Sizes.Repetitions)
	r.Sizes.Span = cmp.Or(c.Span, r.Sizes.Span)
	r.Table.Header = header(ctx, r.Sizes)
	err := measure(ctx, r, c.Case)
	fmt.Print(r.Table) // also what was measured before something went wrong
	if c.Out == "" || err != nil {
		return err
	}
	// #nosec G306 -- it is for everybody to read
	return os.WriteFile(c.Out, []byte(r.Table.String()), 0o644)
}

// measure runs benchmarks in a folder that is theirs for the time, with a server that is built for them.
func measure(ctx context.Context, r *suite.Run, numbers []int) (err error) {
	if r.Dir, err = os.MkdirTemp("", "rollcall-bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(r.Dir)) }()
	// #nosec G302 -- PostgreSQL runs as another user
	if err := os.Chmod(r.Dir, 0o755); err != nil {
		return err
	}
	if r.Profiles != "" {
		if err := os.MkdirAll(r.Profiles, 0o750); err != nil {
			return err
		}
	}
	if r.Rollcall, err = process.BuildRollcall(ctx, r.Dir, r.Profiles != ""); err != nil {
		return err
	}
	return r.Measure(ctx, numbers)
}
