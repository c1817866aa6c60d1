package live

import "sync"

// Memo keeps what was made for each key. The zero Memo is empty.
type Memo struct {
	mu   sync.Mutex
	made map[string]*making
}

// making is what is being made for a key, or was.
type making struct {
	done    bool
	made    []byte
	waiting []func()
}

// Share is what create makes, once for a key; nobody changes it. It does not wait: while
// there is nothing yet, notify is kept, and called when there is.
func (m *Memo) Share(key string, create func() []byte, notify func()) (made []byte, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.made[key]
	switch {
	case e == nil:
		if m.made == nil {
			m.made = make(map[string]*making)
		}
		e = &making{waiting: []func(){notify}}
		m.made[key] = e
		go m.make(e, create)
	case e.done:
		return e.made, true
	default:
		e.waiting = append(e.waiting, notify)
	}
	return nil, false
}

func (m *Memo) make(e *making, create func() []byte) {
	made := create()
	m.mu.Lock()
	e.made, e.done = made, true
	waiting := e.waiting
	e.waiting = nil
	m.mu.Unlock()
	for _, notify := range waiting {
		notify()
	}
}
