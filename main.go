// Command rollcall is a GraphQL presence service: it knows who is online, lists
// them by last activity, and tells subscribers the moment that changes.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/redis/go-redis/v9/logging"

	"rollcall/internal/config"
)

// commands is the command line.
type commands struct {
	Serve   serveCommand   `cmd:"" default:"withargs" help:"Serve the API. This is the default."`
	Seed    seedCommand    `cmd:"" help:"Fill the table of users with demo users."`
	Reshard reshardCommand `cmd:"" help:"Move what is stored in Redis to --shards shards, while nodes serve it."`
	Token   tokenCommand   `cmd:"" help:"Print a token that makes its bearer a user."`
	Version versionCommand `cmd:"" help:"Print the version."`
}

// output is where a command writes.
type output struct {
	stdout, stderr io.Writer
}

// logger writes to stderr, so that a command's answer alone is on stdout.
func (o output) logger(cfg config.Log) *slog.Logger {
	return slog.New(slog.NewTextHandler(o.stderr, &slog.HandlerOptions{Level: cfg.Level}))
}

func main() {
	// go-redis logs each failed dial by itself; whoever made the call tells of it once.
	logging.Disable()
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// Once the first signal is taken, a second one kills.
	context.AfterFunc(ctx, release)
	os.Exit(execute(ctx, os.Args[1:], output{os.Stdout, os.Stderr}))
}

// execute runs the command that args ask for and returns the exit code.
func execute(ctx context.Context, args []string, out output) int {
	for _, report := range config.Unknown(os.Environ()) {
		_, _ = fmt.Fprintln(out.stderr, "rollcall: warning:", report)
	}
	if err := parseAndRun(ctx, args, out); err != nil {
		_, _ = fmt.Fprintln(out.stderr, "rollcall:", err)
		return 1
	}
	return 0
}

func parseAndRun(ctx context.Context, args []string, out output) error {
	if len(args) > 0 && args[0] == "help" { // kong knows the flag only
		args = append(slices.Clone(args[1:]), "--help")
	}
	helped := false
	parser, err := kong.New(&commands{},
		kong.Name("rollcall"),
		kong.Description("A GraphQL presence service: who is online, and the moment that changes."),
		kong.Writers(out.stdout, out.stderr),
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(out),
		kong.Exit(func(int) { helped = true }), // after help was printed; the process ends in main
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
	)
	if err != nil {
		return fmt.Errorf("command line: %w", err)
	}
	command, err := parser.Parse(args)
	if helped {
		return nil
	}
	var misused *kong.ParseError
	if errors.As(err, &misused) {
		return fmt.Errorf("%w; see rollcall --help", err)
	}
	if err != nil {
		return err
	}
	return command.Run()
}
