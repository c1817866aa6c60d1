package live

import "sync"

// Memo keeps what was made for each key. The zero Memo is empty.
type Memo struct {
	mu   sync.Mutex
	made map[string]func() []byte
}

// Share is what create makes, once for a key. Nobody changes it.
func (m *Memo) Share(key string, create func() []byte) []byte {
	m.mu.Lock()
	once, ok := m.made[key]
	if !ok {
		once = sync.OnceValue(create)
		if m.made == nil {
			m.made = map[string]func() []byte{}
		}
		m.made[key] = once
	}
	m.mu.Unlock()
	return once()
}
