// Command bench measures Rollcall next to what it is compared with, and prints one table.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/redis/go-redis/v9/logging"
)

type commands struct {
	Run   runCommand   `cmd:"" default:"withargs" help:"Measure. This is the default."`
	Bare  bareCommand  `cmd:"" name:"serve-bare" hidden:""`
	Stock stockCommand `cmd:"" name:"serve-stock" hidden:""`
}

func main() {
	logging.Disable()
	ctx, release := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, release)
	command := kong.Parse(&commands{}, kong.Name("bench"), kong.BindTo(ctx, (*context.Context)(nil)))
	if err := command.Run(); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
