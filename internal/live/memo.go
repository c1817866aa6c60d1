package live

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unique"
)

// Key says which answers to an item are the same. It is compared for each of thousands of sockets, which
// is why it is a handle.
type Key = unique.Handle[string]

// Memo keeps what was made for each key. The zero Memo is empty.
type Memo struct {
	// latest is what was made last: for most items there is nothing else, and most who ask
	// come when it is there.
	latest atomic.Pointer[making]

	mu   sync.Mutex
	made map[Key]*making
}

// making is what is being made for a key, or was.
type making struct {
	key     Key
	done    bool
	made    []byte
	waiting []func()
}

// Share is what create makes, once for a key; nobody changes it. It does not wait: while
// there is nothing yet, notify is kept, and called when there is.
func (m *Memo) Share(key Key, create func() []byte, notify func()) (made []byte, ok bool) {
	if e := m.latest.Load(); e != nil && e.key == key {
		return e.made, true
	}
	if m.begin(key, create, notify) {
		// Mostly it is made at once, and then the thousands who are about to ask do not ask in vain.
		runtime.Gosched()
		return nil, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.made[key]
	if !e.done {
		e.waiting = append(e.waiting, notify)
	}
	return e.made, e.done
}

// begin begins to make what nobody has asked for before.
func (m *Memo) begin(key Key, create func() []byte, notify func()) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.made[key] != nil {
		return false
	}
	if m.made == nil {
		m.made = make(map[Key]*making)
	}
	e := &making{key: key, waiting: []func(){notify}}
	m.made[key] = e
	go m.make(e, create)
	return true
}

func (m *Memo) make(e *making, create func() []byte) {
	made := create()
	m.mu.Lock()
	e.made, e.done = made, true
	waiting := e.waiting
	e.waiting = nil
	m.latest.Store(e)
	m.mu.Unlock()
	for _, notify := range waiting {
		notify()
	}
}
