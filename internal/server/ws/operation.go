package ws

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"

	"rollcall/internal/server/execution"
)

// operation is one running operation of a socket.
type operation struct {
	// Of a subscription whose answers are taken when they can be written; outbox.mu guards the changes:
	sub    *execution.Subscription // nil until it has begun
	ready  bool                    // whether it is in the outbox
	behind *operation              // is ready after it

	id       string
	quotedID []byte // id as JSON
	cancel   context.CancelFunc
	// completed is set when the client has completed the operation. From then on its id may name another one,
	// so messages of this one that are still queued must not be written.
	completed atomic.Bool

	all *operations // the socket's, of which it is one
}

// finish frees the operation's id. False means that the client has completed it.
func (op *operation) finish() bool { return op.all.finish(op) }

func newOperation(all *operations, id string, cancel context.CancelFunc) *operation {
	quoted, err := json.Marshal(id)
	if err != nil {
		panic(err) // a string always encodes
	}
	return &operation{id: id, quotedID: quoted, cancel: cancel, all: all}
}

// readyList is operations in the order in which they became ready, each once.
type readyList struct{ first, last *operation }

func (l *readyList) push(op *operation) {
	op.ready = true
	if l.first == nil {
		l.first = op
	} else {
		l.last.behind = op
	}
	l.last = op
}

// pop takes the first one; nil if there is none.
func (l *readyList) pop() *operation {
	op := l.first
	if op != nil {
		l.first, op.behind, op.ready = op.behind, nil, false
	}
	if l.first == nil {
		l.last = nil // an idle socket keeps no operation that has ended
	}
	return op
}

// operations are a socket's operations by id.
type operations struct {
	mu   sync.Mutex
	byID map[string]*operation
}

// has says whether an operation of this id is running.
func (o *operations) has(id string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.byID[id] != nil
}

// count is how many are running.
func (o *operations) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.byID)
}

// add registers an operation.
func (o *operations) add(op *operation) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.byID == nil {
		o.byID = make(map[string]*operation)
	}
	o.byID[op.id] = op
}

// finish frees the id of an operation that has ended by itself. False means that the client has completed it
// meanwhile.
func (o *operations) finish(op *operation) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.byID[op.id] != op {
		return false
	}
	delete(o.byID, op.id)
	return true
}

// complete ends an operation as the client asks. One that has ended already is nothing to do: its last message
// and the client's have crossed.
func (o *operations) complete(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if op := o.byID[id]; op != nil {
		delete(o.byID, id)
		op.completed.Store(true)
		op.cancel()
	}
}
