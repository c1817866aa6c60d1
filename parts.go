package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// parts are the running parts of a server, in the order of their start.
type parts []part

// part is something to stop. stop may take until its context ends.
type part struct {
	name string
	stop func(context.Context) error
}

func (p *parts) add(name string, stop func(context.Context) error) {
	*p = append(*p, part{name, stop})
}

// loop runs a loop until it is stopped.
func (p *parts) loop(name string, run func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(ctx)
	}()
	p.add(name, func(context.Context) error {
		cancel()
		<-done
		return nil
	})
}

// stop stops the parts, the last one first, since each needs those before it.
func (p *parts) stop(ctx context.Context) error {
	var failed []error
	for _, part := range slices.Backward(*p) {
		if err := part.stop(ctx); err != nil {
			failed = append(failed, fmt.Errorf("stop %s: %w", part.name, err))
		}
	}
	return errors.Join(failed...)
}

// closing is a stop that needs no time.
func closing(closer func() error) func(context.Context) error {
	return func(context.Context) error { return closer() }
}

// ending is a stop that can't fail.
func ending(end func()) func(context.Context) error {
	return func(context.Context) error {
		end()
		return nil
	}
}
