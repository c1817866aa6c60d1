package memstore

import "context"

// SetLevels implements [presence.Store]. Without a level index no level is kept.
func (s *Store) SetLevels(_ context.Context, levels map[string]int) error {
	if !s.levelIndex {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	for id, level := range levels {
		s.shardOf(id).begin(now, s.rules)
		if u := s.lookup(id); u.state == online {
			s.change(u, func() { u.level = level })
		}
	}
	return nil
}
