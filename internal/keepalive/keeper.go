// Package keepalive keeps sessions alive by their connections' pongs.
package keepalive

import (
	"context"
	"log/slog"

	"rollcall/internal/feed"
	"rollcall/internal/presence"
	"rollcall/internal/pulse"
)

// Heartbeater is the part of [presence.Service] that a keeper needs.
type Heartbeater interface {
	Heartbeat(ctx context.Context, h presence.Heartbeat) (presence.Lease, error)
}

// Feed is the part of [feed.Hub] that a keeper needs.
type Feed interface {
	Subscribe(ctx context.Context, o feed.Options) (*feed.Subscription, error)
}

var (
	_ Heartbeater = (*presence.Service)(nil)
	_ Feed        = (*feed.Hub)(nil)
)

// Keeper keeps sessions alive.
type Keeper struct {
	service Heartbeater
	feed    Feed
	log     *slog.Logger
}

// New is a keeper of sessions of service, whose events feed brings.
func New(service Heartbeater, feed Feed, log *slog.Logger) *Keeper {
	return &Keeper{service: service, feed: feed, log: log}
}

// Keep signs in or resumes as h says and then keeps that session alive for as
// long as p beats, until ctx ends or the session does. The channel brings
// Started at once and, if the session is replaced or ended, that as the last
// event; then it is closed. It never has to be drained. When ctx ends it is
// closed without a further event, and the session is left to its lease: the
// client may be back before that. So it is when the feed stops.
//
// A lease that ran out is resumed by the next pong, which is no event: the
// token stays the same and there is nothing for the client to do.
//
// Errors: those of [presence.Service.Heartbeat] and [feed.Hub.Subscribe]; a nil
// p (a transport without pings) is a [*presence.InvalidError].
func (k *Keeper) Keep(ctx context.Context, h presence.Heartbeat, p *pulse.Pulse) (<-chan Event, error) {
	if p == nil {
		return nil, presence.Invalid("a session needs a WebSocket: only its pings show that the client is alive")
	}
	ctx, cancel := context.WithCancel(ctx)
	// Before the heartbeat, so that no end of the session is missed.
	sub, err := k.feed.Subscribe(ctx, feed.Options{Users: []string{h.UserID}})
	if err != nil {
		cancel()
		return nil, err
	}
	lease, err := k.service.Heartbeat(ctx, h)
	if err != nil {
		cancel()
		return nil, err
	}
	s := &session{
		service: k.service, sub: sub, log: k.log,
		next: h, epoch: lease.Epoch,
		events: make(chan Event, 2), // all that can come, so that sending never blocks
	}
	if h.Kind == presence.Active {
		s.next.Kind = presence.Pong // a pong is no activity of the user
	}
	s.granted(lease)
	s.events <- Event{Type: Started, Session: lease.Session, ExpiresAt: lease.ExpiresAt}
	go func() {
		defer cancel()
		defer close(s.events)
		s.run(ctx, p)
	}()
	return s.events, nil
}
