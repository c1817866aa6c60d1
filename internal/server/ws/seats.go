package ws

import "sync"

// seats are the sockets that users have open.
type seats struct {
	most int // of a user; 0: any number

	mu     sync.Mutex
	byUser map[string]int
}

// take takes a seat for a user, unless all of theirs are taken.
func (s *seats) take(user string) bool {
	if s.most == 0 {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byUser[user] >= s.most {
		return false
	}
	if s.byUser == nil {
		s.byUser = make(map[string]int)
	}
	s.byUser[user]++
	return true
}

// free gives a seat back.
func (s *seats) free(user string) {
	if s.most == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byUser[user]--; s.byUser[user] == 0 {
		delete(s.byUser, user)
	}
}
