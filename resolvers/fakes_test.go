package resolvers_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"rollcall/internal/presence"
	"rollcall/internal/users"
)

// directory is a user directory in memory that counts its loads and fails at will.
type directory struct {
	mu        sync.Mutex
	users     map[string]users.Details
	fails     error
	loads     [][]string
	refreshed [][]string
}

func newDirectory() *directory { return &directory{users: make(map[string]users.Details)} }

func (d *directory) put(id, name string, level int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	avatar := "https://pictures.example/" + id
	d.users[id] = users.Details{ID: id, Name: &name, AvatarURL: &avatar, Level: &level}
}

func (d *directory) fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fails = err
}

func (d *directory) Load(_ context.Context, ids []string) (map[string]users.Details, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.loads = append(d.loads, slices.Clone(ids))
	if d.fails != nil {
		return nil, d.fails
	}
	found := make(map[string]users.Details)
	for _, id := range ids {
		if u, ok := d.users[id]; ok {
			found[id] = u
		}
	}
	return found, nil
}

func (d *directory) Refresh(_ context.Context, ids []string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.refreshed = append(d.refreshed, slices.Clone(ids))
	return d.fails
}

// Levels makes the directory the store's source of levels as well; that is
// not counted as a load.
func (d *directory) Levels(_ context.Context, ids []string) (map[string]int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fails != nil {
		return nil, d.fails
	}
	levels := make(map[string]int, len(ids))
	for _, id := range ids {
		levels[id] = presence.ClampLevel(d.users[id].Level)
	}
	return levels, nil
}

// loaded is how many ids each load so far was asked for.
func (d *directory) loaded() []int {
	d.mu.Lock()
	defer d.mu.Unlock()
	var sizes []int
	for _, ids := range d.loads {
		sizes = append(sizes, len(ids))
	}
	return sizes
}

// service counts the reads of the real one, and breaks them at will.
type service struct {
	*presence.Service
	broken                  atomic.Pointer[error]
	pages, counts, presents atomic.Int32
	failPresences           atomic.Bool
	panics                  atomic.Bool // Stats does
	onCount                 func()
}

func (s *service) fail(err error) { s.broken.Store(&err) }

func (s *service) failure() error {
	if err := s.broken.Load(); err != nil {
		return *err
	}
	return nil
}

func (s *service) Page(ctx context.Context, req presence.PageRequest) (presence.Page, error) {
	s.pages.Add(1)
	if err := s.failure(); err != nil {
		return presence.Page{}, err
	}
	return s.Service.Page(ctx, req)
}

func (s *service) Count(ctx context.Context) (int, error) {
	if err := s.counted(); err != nil {
		return 0, err
	}
	return s.Service.Count(ctx)
}

func (s *service) Total(ctx context.Context, req presence.PageRequest) (int, error) {
	if err := s.counted(); err != nil {
		return 0, err
	}
	return s.Service.Total(ctx, req)
}

func (s *service) counted() error {
	s.counts.Add(1)
	if s.onCount != nil {
		s.onCount()
	}
	return s.failure()
}

func (s *service) Presences(ctx context.Context, ids []string) ([]presence.Presence, error) {
	s.presents.Add(1)
	if s.failPresences.Load() {
		return nil, &presence.UnavailableError{RetryAfter: time.Second, Cause: errors.New("connection refused")}
	}
	if err := s.failure(); err != nil {
		return nil, err
	}
	return s.Service.Presences(ctx, ids)
}

func (s *service) OnlineHistory(ctx context.Context, from presence.Millis, to *presence.Millis, r presence.Resolution) ([]presence.OnlinePoint, error) {
	if err := s.failure(); err != nil {
		return nil, err
	}
	return s.Service.OnlineHistory(ctx, from, to, r)
}

func (s *service) Stats(ctx context.Context) (presence.Stats, error) {
	if s.panics.Load() {
		panic(fmt.Sprintf("a defect at %p", s))
	}
	return s.Service.Stats(ctx)
}

type beatRate float64

func (r beatRate) BeatsPerSecond() float64 { return float64(r) }
