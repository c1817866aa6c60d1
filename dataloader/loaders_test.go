package dataloader_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"rollcall/dataloader"
	"rollcall/internal/presence"
	"rollcall/internal/users"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// source is a directory and a store. It knows every user but "unknown", and
// fails at will; details of "cached" it has even then.
type source struct {
	mu    sync.Mutex
	loads [][]string
	fails error
}

func (s *source) called(ids []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loads = append(s.loads, ids)
	return s.fails
}

func (s *source) Load(_ context.Context, ids []string) (map[string]users.Details, error) {
	err := s.called(ids)
	found := make(map[string]users.Details)
	for _, id := range ids {
		if id != "unknown" && (err == nil || id == "cached") {
			found[id] = users.Details{ID: id, Name: &id}
		}
	}
	return found, err
}

func (s *source) Presences(_ context.Context, ids []string) ([]presence.Presence, error) {
	if err := s.called(ids); err != nil {
		return nil, err
	}
	found := make([]presence.Presence, len(ids))
	for i, id := range ids {
		found[i] = presence.Presence{UserID: id, Status: presence.Online}
	}
	return found, nil
}

func ids(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprint(i)
	}
	return ids
}

func TestListsAreLoadedAtOnce(t *testing.T) {
	var directory, store source
	l := dataloader.New(&directory, &store)
	all := ids(500)
	l.LoadDetails(t.Context(), append(all, all...))
	require.NoError(t, l.LoadPresences(t.Context(), all))
	for _, id := range all {
		d, err := l.Details(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, id, *d.Name)
		p, err := l.Presence(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, id, p.UserID)
	}
	require.Equal(t, [][]string{all}, directory.loads)
	require.Equal(t, [][]string{all}, store.loads)
}

func TestLargeListsAreDivided(t *testing.T) {
	var directory source
	l := dataloader.New(&directory, &source{})
	l.LoadDetails(t.Context(), ids(1001))
	require.Len(t, directory.loads, 3)
	require.Len(t, directory.loads[0], 500)
	require.Len(t, directory.loads[2], 1)
	d, err := l.Details(t.Context(), "1000")
	require.NoError(t, err)
	require.Equal(t, "1000", *d.Name)
}

func TestListsThatOverlapLoadEachUserOnce(t *testing.T) {
	var directory source
	l := dataloader.New(&directory, &source{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { l.LoadDetails(t.Context(), ids(50)) })
	}
	wg.Wait()
	require.Len(t, directory.loads, 1)
}

func TestSingleUsersAreLoadedAndRemembered(t *testing.T) {
	var directory source
	l := dataloader.New(&directory, &source{})
	var wg sync.WaitGroup
	for _, id := range append(ids(20), ids(20)...) {
		wg.Go(func() {
			d, err := l.Details(t.Context(), id)
			if err != nil || *d.Name != id {
				t.Errorf("%s: %v, %v", id, d, err)
			}
		})
	}
	wg.Wait()
	total := 0
	for _, batch := range directory.loads {
		total += len(batch)
	}
	require.Equal(t, 20, total)
}

func TestUnknownIsNoError(t *testing.T) {
	l := dataloader.New(&source{}, &source{})
	d, err := l.Details(t.Context(), "unknown")
	require.NoError(t, err)
	require.Nil(t, d)
}

func TestFailingDirectory(t *testing.T) {
	failure := errors.New("no database")
	l := dataloader.New(&source{fails: failure}, &source{})
	l.LoadDetails(t.Context(), []string{"a", "cached", "unknown"})
	d, err := l.Details(t.Context(), "cached")
	require.NoError(t, err, "what could be read is there")
	require.Equal(t, "cached", *d.Name)
	for _, id := range []string{"a", "unknown", "not in the list"} {
		_, err := l.Details(t.Context(), id)
		require.ErrorIs(t, err, failure)
	}
	require.NoError(t, l.Once(nil))
	require.ErrorIs(t, l.Once(failure), failure)
	require.NoError(t, l.Once(failure))
}

func TestFailingStore(t *testing.T) {
	failure := errors.New("no store")
	l := dataloader.New(&source{}, &source{fails: failure})
	require.ErrorIs(t, l.LoadPresences(t.Context(), []string{"a"}), failure)
	_, err := l.Presence(t.Context(), "b")
	require.ErrorIs(t, err, failure)
}

type panicking struct{}

func (panicking) Load(context.Context, []string) (map[string]users.Details, error) { panic("defect") }

func TestPanicOfASingleLoadIsAnError(t *testing.T) {
	_, err := dataloader.New(panicking{}, &source{}).Details(t.Context(), "a")
	require.ErrorContains(t, err, "defect")
}

func TestForget(t *testing.T) {
	var directory, store source
	l := dataloader.New(&directory, &store)
	for range 2 {
		l.LoadDetails(t.Context(), []string{"a"})
		_, err := l.Presence(t.Context(), "a")
		require.NoError(t, err)
		l.Forget("a")
	}
	require.Len(t, directory.loads, 2)
	require.Len(t, store.loads, 2)
}

func TestEachContextHasItsOwn(t *testing.T) {
	first := dataloader.With(t.Context(), &source{}, &source{})
	second := dataloader.With(first, &source{}, &source{})
	require.Same(t, dataloader.For(first), dataloader.For(first))
	require.NotSame(t, dataloader.For(first), dataloader.For(second))
}
