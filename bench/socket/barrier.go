package socket

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// Barrier waits until all subscribers of a group have been told an event.
type Barrier struct {
	all   int
	first int
	told  []atomic.Int64
	begun []chan struct{} // closed when the first one has been told
	done  []chan struct{} // closed when all have
}

// NewBarrier is for so many subscribers and events, numbered from first on.
func NewBarrier(subscribers, first, events int) *Barrier {
	b := &Barrier{
		all: subscribers, first: first, told: make([]atomic.Int64, events),
		begun: make([]chan struct{}, events), done: make([]chan struct{}, events),
	}
	for i := range b.done {
		b.begun[i], b.done[i] = make(chan struct{}), make(chan struct{})
	}
	return b
}

// Told notes that one subscriber has been told an event.
func (b *Barrier) Told(t Told) {
	i := t.Event - b.first
	if i < 0 || i >= len(b.told) {
		return
	}
	n := b.told[i].Add(1)
	if n == 1 {
		close(b.begun[i])
	}
	if n == int64(b.all) {
		close(b.done[i])
	}
}

// arrival is how long an event may take.
const arrival = 20 * time.Second

var errLost = errors.New("an event did not reach everybody")

// Wait returns when everybody has been told an event.
func (b *Barrier) Wait(ctx context.Context, g *Group, event int) error {
	return b.wait(ctx, g, event, b.done)
}

// WaitFirst returns when anybody has been told an event.
func (b *Barrier) WaitFirst(ctx context.Context, g *Group, event int) error {
	return b.wait(ctx, g, event, b.begun)
}

func (b *Barrier) wait(ctx context.Context, g *Group, event int, reached []chan struct{}) error {
	late := time.NewTimer(arrival)
	defer late.Stop()
	i := event - b.first
	select {
	case <-reached[i]:
		return nil
	case <-g.Broken():
		return g.Err()
	case <-late.C:
		return fmt.Errorf("%w: %d of %d", errLost, b.told[i].Load(), b.all)
	case <-ctx.Done():
		return ctx.Err()
	}
}
