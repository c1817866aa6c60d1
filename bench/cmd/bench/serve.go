package main

import (
	"context"

	"rollcall/bench/opponent"
	"rollcall/bench/suite"
)

// bareCommand is the server that does only what any must do.
type bareCommand struct {
	Addr string
}

// Run serves until ctx ends.
func (c bareCommand) Run(ctx context.Context) error { return opponent.ServeBare(ctx, c.Addr) }

// stockCommand is stock gqlgen over Rollcall's store.
type stockCommand struct {
	Addr, RedisURL, DatabaseURL string
}

// Run serves until ctx ends.
func (c stockCommand) Run(ctx context.Context) error {
	return opponent.ServeStock(ctx, suite.StockOver(c.Addr, c.RedisURL, c.DatabaseURL))
}
