package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"rollcall/internal/config"
	"rollcall/internal/users/sqlsource"
)

type seedCommand struct {
	Database config.Users `embed:""`
	Log      config.Log   `embed:""`
	Users    int          `default:"50000" help:"Make sure that there are this many demo users."`
}

// Run adds the demo users that are not there yet.
func (c seedCommand) Run(ctx context.Context, out output) (err error) {
	if c.Users < 1 {
		return errors.New("--users must be at least 1")
	}
	if err := c.Database.Check(); err != nil {
		return err
	}
	source, err := openUsers(c.Database, out.logger(c.Log))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	if err := prepareUsers(ctx, source, c.Database); err != nil {
		return err
	}

	added, err := source.Seed(ctx, c.Users, progress(out.stderr, "users", c.Users))
	if errors.Is(err, sqlsource.ErrForeign) {
		return errors.New("with ROLLCALL_USERS_QUERY the table is someone else's, and Rollcall does not write to it")
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out.stdout, "%d demo users: %d added, %d were there already\n", c.Users, added, c.Users-added)
	return err
}

// progress shows how many of n things are done: by a bar on a terminal, by a line
// for each tenth elsewhere.
func progress(w io.Writer, things string, n int) func(done int) {
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		bar := progressbar.NewOptions(n,
			progressbar.OptionSetWriter(w),
			progressbar.OptionSetDescription(things),
			progressbar.OptionSetWidth(40),
			progressbar.OptionShowCount(),
			progressbar.OptionClearOnFinish(),
		)
		return func(done int) { _ = bar.Set(done) }
	}
	told := 0
	return func(done int) {
		if tenth := done * 10 / n; tenth > told {
			told = tenth
			_, _ = fmt.Fprintf(w, "%d of %d %s\n", done, n, things)
		}
	}
}
