package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

const (
	// fetchTimeout bounds a fetch, and so how long a token of an unknown key may wait.
	fetchTimeout = 5 * time.Second
	// maxSetBytes is far beyond any real set.
	maxSetBytes  = 1 << 20
	maxRedirects = 5
)

// fetch fetches the key set. If that fails, known keys go on working. An outage is logged when it begins and when it
// ends.
func (s *keySet) fetch(ctx context.Context) error {
	before := s.known.Load()
	found, skipped, err := s.get(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	now := &fetched{keys: found, failure: err, at: time.Now(), next: make(chan struct{})}
	if err != nil {
		now.keys = before.keys
	}
	s.known.Store(now)
	close(before.next)

	switch {
	case err != nil && (before.failure == nil || before.at.IsZero()):
		s.log.WarnContext(ctx, "the keys of tokens can't be fetched; trying on", "known", len(now.keys), "err", err)
	case err == nil && before.failure != nil:
		s.log.InfoContext(ctx, "the keys of tokens were fetched", "known", len(found), "skipped", skipped)
	}
	return err
}

// get asks for the key set. Errors don't name the URL, which may hold a password.
func (s *keySet) get(ctx context.Context) (found []key, skipped int, err error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, nil)
	if err != nil {
		return nil, 0, errors.New("the URL is malformed")
	}
	request.Header.Set("Accept", "application/jwk-set+json, application/json")
	response, err := s.client.Do(request)
	if err != nil {
		if failed, ok := errors.AsType[*url.Error](err); ok {
			err = failed.Err
		}
		return nil, 0, fmt.Errorf("fetch: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, 0, fmt.Errorf("fetch: status %d", response.StatusCode)
	}
	text, err := io.ReadAll(http.MaxBytesReader(nil, response.Body, maxSetBytes))
	if err != nil {
		return nil, 0, fmt.Errorf("fetch: %w", err)
	}
	return readKeySet(text)
}

// sameScheme follows a few redirects, but none from HTTPS to what is not: whoever answers it could sign any token.
func sameScheme(to *http.Request, via []*http.Request) error {
	switch {
	case len(via) > maxRedirects:
		return errors.New("too many redirects")
	case to.URL.Scheme != via[0].URL.Scheme:
		return fmt.Errorf("a redirect to %s", to.URL.Scheme)
	}
	return nil
}
