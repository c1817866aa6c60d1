package auth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"rollcall/internal/backoff"
)

// How often a key set is fetched.
const (
	// refreshEvery bounds how long a key that was withdrawn is still taken.
	refreshEvery = 5 * time.Minute
	// refreshAtMost is the least time between two fetches, however many tokens name keys that are not known. An
	// issuer that signs with a new key before it has been published for so long has tokens refused for the rest of it.
	refreshAtMost = 5 * time.Second
)

// fetched is what is known of a key set since a fetch.
type fetched struct {
	keys []key
	// failure is why that fetch failed; the keys are then those of the one before.
	failure error
	// at is when it ended; zero as long as there has been none.
	at time.Time
	// next is closed when a later fetch has ended.
	next chan struct{}
}

// keySet is the key set of a URL. One goroutine fetches it, so that any number of tokens of unknown keys are one
// fetch, for which those who have brought them wait.
type keySet struct {
	url    string
	client *http.Client
	log    *slog.Logger
	known  atomic.Pointer[fetched]
	asked  chan *fetched // what was not enough for somebody
}

var _ keys = (*keySet)(nil)

func newKeySet(url string, log *slog.Logger) *keySet {
	s := &keySet{
		url: url, log: log, asked: make(chan *fetched, 1),
		client: &http.Client{CheckRedirect: sameScheme, Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, // it is fetched once in a while
		}},
	}
	s.known.Store(&fetched{failure: errors.New("they have not been fetched yet"), next: make(chan struct{})})
	return s
}

// run fetches the key set at once, and then every few minutes, sooner if a fetch has failed or an unknown key was met,
// until ctx ends.
func (s *keySet) run(ctx context.Context) {
	retry := backoff.Backoff{Least: time.Second, Most: time.Minute}
	for {
		if s.fetch(ctx) != nil {
			if !retry.Wait(ctx) {
				return
			}
			continue
		}
		retry.Reset()
		if !s.rest(ctx) {
			return
		}
	}
}

// rest waits until it is time for the next fetch; false means that ctx has ended.
func (s *keySet) rest(ctx context.Context) bool {
	timer := time.NewTimer(refreshEvery)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-timer.C:
			return true
		case seen := <-s.asked:
			if seen == s.known.Load() { // else there has been a fetch since
				return true
			}
		}
	}
}

// find waits for a fetch if no key has that id, unless there has just been one.
func (s *keySet) find(ctx context.Context, algorithm, id string) ([]key, error) {
	known := s.known.Load()
	if some := known.find(algorithm, id); len(some) > 0 {
		return some, nil
	}
	if known.at.IsZero() || known.failure == nil && time.Since(known.at) >= refreshAtMost {
		if err := s.wait(ctx, known); err != nil {
			return nil, err
		}
		known = s.known.Load()
	}
	some := known.find(algorithm, id)
	if len(some) == 0 && known.failure != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, known.failure)
	}
	return some, nil
}

// wait waits until there is more than what is known, or until that takes too long.
func (s *keySet) wait(ctx context.Context, known *fetched) error {
	select {
	case s.asked <- known:
	default: // somebody has asked
	}
	timer := time.NewTimer(fetchTimeout)
	defer timer.Stop()
	select {
	case <-known.next:
	case <-timer.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// ready says why no token can be verified.
func (s *keySet) ready() error {
	if known := s.known.Load(); len(known.keys) == 0 {
		return fmt.Errorf("%w: %w", ErrUnavailable, known.failure)
	}
	return nil
}

// find are the keys of an id, or all if there is no id, as far as they suit the algorithm.
func (f *fetched) find(algorithm, id string) []key {
	if id == "" {
		return suited(f.keys, algorithm)
	}
	var named []key
	for _, k := range f.keys {
		if k.id == id {
			named = append(named, k)
		}
	}
	return suited(named, algorithm)
}
