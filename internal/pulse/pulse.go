// Package pulse carries a connection's proof of life, its answers to pings, to
// the operations that run on it.
package pulse

import (
	"context"
	"sync"
)

// Pulse is the proof of life of one connection. The zero Pulse is ready for use.
type Pulse struct {
	mu        sync.Mutex
	listeners map[chan struct{}]struct{}
}

// Beat tells the listeners that the connection has just answered a ping. It
// never blocks: a listener that is still busy with an earlier beat gets one.
func (p *Pulse) Beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.listeners {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// Listen is a channel of beats and a function that ends it.
func (p *Pulse) Listen() (beats <-chan struct{}, stop func()) {
	c := make(chan struct{}, 1)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.listeners == nil {
		p.listeners = make(map[chan struct{}]struct{})
	}
	p.listeners[c] = struct{}{}
	return c, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.listeners, c)
	}
}

type pulseKey struct{}

// With is ctx with the pulse of its connection.
func With(ctx context.Context, p *Pulse) context.Context {
	return context.WithValue(ctx, pulseKey{}, p)
}

// FromContext is the pulse of ctx's connection; nil where the transport has no
// pings (HTTP and SSE).
func FromContext(ctx context.Context) *Pulse {
	p, _ := ctx.Value(pulseKey{}).(*Pulse)
	return p
}
