package presence

import (
	"context"
	"sync"
	"time"
)

const (
	// arrearsEvery is how often levels that could not be taken are tried again.
	arrearsEvery = time.Second
	// arrearsPatience is how long one try may take; nobody waits for it.
	arrearsPatience = 5 * time.Second
	// mostArrears bounds the users remembered; those beyond get their level at
	// their next sign-in.
	mostArrears = 1_000_000
)

// arrears are users whose level could not be taken when they came.
type arrears struct {
	mu    sync.Mutex
	users map[string]struct{}
}

func (a *arrears) add(ids []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.users == nil {
		a.users = make(map[string]struct{})
	}
	for _, id := range ids {
		if len(a.users) < mostArrears {
			a.users[id] = struct{}{}
		}
	}
}

// take removes up to n users.
func (a *arrears) take(n int) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	ids := make([]string, 0, min(n, len(a.users)))
	for id := range a.users {
		if len(ids) == n {
			break
		}
		ids = append(ids, id)
		delete(a.users, id)
	}
	return ids
}

// Run gives the list the levels that a slow or failing directory owed it, until
// ctx ends.
func (s *Service) Run(ctx context.Context) {
	tick := time.NewTicker(arrearsEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for s.settleArrears(ctx) {
		}
	}
}

// settleArrears settles one batch, and tells whether to go on at once.
func (s *Service) settleArrears(ctx context.Context) bool {
	ids := s.arrears.take(MaxIDs)
	if len(ids) == 0 {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, arrearsPatience)
	defer cancel()
	if err := s.RefreshLevels(ctx, ids); err != nil {
		s.arrears.add(ids)
		s.log.DebugContext(ctx, "levels are still owed to the list", "users", len(ids), "err", err)
		return false
	}
	return true
}
