package auth

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"rollcall/internal/logtest"
)

// issuer publishes keys and signs tokens with them, by the clock of the test's bubble.
type issuer struct {
	t       *testing.T
	tokens  *Tokens
	log     *logtest.Log
	mu      sync.Mutex
	private map[string]ed25519.PrivateKey
	answer  func(*http.Request) (*http.Response, error) // nil for the keys
	fetches int
}

var _ http.RoundTripper = (*issuer)(nil)

// issue runs a test with an issuer and a server that has its keys from it. The server has begun to fetch them.
func issue(t *testing.T, test func(*issuer)) {
	issueWith(t, func(*issuer) {}, test)
}

func issueWith(t *testing.T, prepare, test func(*issuer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		log, logged := logtest.New(slog.LevelDebug)
		i := &issuer{t: t, log: logged, private: map[string]ed25519.PrivateKey{}}
		i.add("one")
		prepare(i)
		var err error
		i.tokens, err = New(Config{Mode: JWT, JWKSURL: "https://user:password@id.example.com/keys?secret=x"}, log)
		require.NoError(t, err)
		i.tokens.set.client.Transport = i
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { i.tokens.Run(ctx) })
		synctest.Wait()
		test(i)
		stop()
		running.Wait()
		require.NotContains(t, i.log.String(), "password")
		require.NotContains(t, i.log.String(), "secret")
	})
}

func (i *issuer) RoundTrip(r *http.Request) (*http.Response, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.fetches++
	if i.answer != nil {
		return i.answer(r)
	}
	var keys []map[string]string
	for id, private := range i.private {
		keys = append(keys, jwk(id, private))
	}
	text, err := json.Marshal(map[string]any{"keys": keys})
	require.NoError(i.t, err)
	return reply(http.StatusOK, string(text)), nil
}

func reply(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body))}
}

func jwk(id string, private ed25519.PrivateKey) map[string]string {
	public, _ := private.Public().(ed25519.PublicKey)
	return map[string]string{"kty": "OKP", "crv": "Ed25519", "kid": id, "x": base64.RawURLEncoding.EncodeToString(public)}
}

// add publishes another key.
func (i *issuer) add(id string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.private[id] = ed25519.NewKeyFromSeed([]byte(fmt.Sprintf("%-32s", id)))
}

// withdraw publishes a key no more. It still signs.
func (i *issuer) withdraw(id string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	delete(i.private, id)
}

// answers lets the issuer answer so; nil for its keys.
func (i *issuer) answers(answer func(*http.Request) (*http.Response, error)) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.answer = answer
}

// authenticate brings a token that is signed by the key of that id.
func (i *issuer) authenticate(id string) error {
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, jwt.MapClaims{"sub": "alice", "exp": time.Now().Add(time.Hour).Unix()})
	if id != "" {
		token.Header["kid"] = id
	} else {
		id = "one"
	}
	signed, err := token.SignedString(crypto.Signer(ed25519.NewKeyFromSeed([]byte(fmt.Sprintf("%-32s", id)))))
	require.NoError(i.t, err)
	_, err = i.tokens.Authenticate(i.t.Context(), "Bearer "+signed)
	return err
}

func unreachable(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") }

func TestKeySet(t *testing.T) {
	issue(t, func(i *issuer) {
		require.NoError(t, i.tokens.Ready())
		require.NoError(t, i.authenticate("one"))
		require.NoError(t, i.authenticate(""), "a token without a key id is tried with each")
		require.ErrorIs(t, i.authenticate("two"), ErrUnauthenticated)
		require.Equal(t, 1, i.fetches)
	})
}

// A new key is known as soon as a token is signed with it, by one fetch, and a withdrawn one is gone by then.
func TestRotation(t *testing.T) {
	issue(t, func(i *issuer) {
		time.Sleep(refreshAtMost)
		i.add("two")
		i.withdraw("one")
		var crowd sync.WaitGroup
		for range 100 {
			crowd.Go(func() { require.NoError(t, i.authenticate("two")) })
		}
		crowd.Wait()
		require.Equal(t, 2, i.fetches)
		require.ErrorIs(t, i.authenticate("one"), ErrUnauthenticated)
		require.Equal(t, 2, i.fetches)
	})
}

// Who comes while the keys are being fetched waits for that, and asks for no more.
func TestAFetchUnderWayIsEnough(t *testing.T) {
	issue(t, func(i *issuer) {
		time.Sleep(refreshAtMost)
		i.answers(func(*http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			text, err := json.Marshal(map[string]any{"keys": []any{jwk("two", i.private["one"])}})
			return reply(http.StatusOK, string(text)), err
		})
		var crowd sync.WaitGroup
		for n := range 9 {
			crowd.Go(func() {
				time.Sleep(time.Duration(n) * 100 * time.Millisecond)
				require.ErrorIs(t, i.authenticate("made-up"), ErrUnauthenticated)
			})
		}
		crowd.Wait()
		time.Sleep(refreshAtMost)
		require.Equal(t, 2, i.fetches)
	})
}

// A key that is withdrawn is taken no longer than the refresh's interval, whoever comes or doesn't.
func TestWithdrawnKeysAreForgotten(t *testing.T) {
	issue(t, func(i *issuer) {
		i.add("two")
		i.withdraw("one")
		require.NoError(t, i.authenticate("one"))
		time.Sleep(refreshEvery + time.Second)
		require.ErrorIs(t, i.authenticate("one"), ErrUnauthenticated)
		require.NoError(t, i.authenticate("two"))
		require.Equal(t, 2, i.fetches)
	})
}

// Tokens that name made-up keys neither flood the issuer nor are held up.
func TestUnknownKeysAreFetchedAtABoundedRate(t *testing.T) {
	issue(t, func(i *issuer) {
		const tries, pause = 1000, 100 * time.Millisecond
		begin := time.Now()
		for n := range tries {
			require.ErrorIs(t, i.authenticate(fmt.Sprint("made-up-", n)), ErrUnauthenticated)
			time.Sleep(pause)
		}
		require.Equal(t, tries*pause, time.Since(begin), "none has waited")
		require.LessOrEqual(t, i.fetches, int(tries*pause/refreshAtMost)+1)
		require.Greater(t, i.fetches, 10)
	})
}

// Without the issuer, keys that are known go on working for as long as it takes, and of others nobody can tell.
func TestAnIssuerThatIsAway(t *testing.T) {
	issue(t, func(i *issuer) {
		i.answers(unreachable)
		time.Sleep(24 * time.Hour)
		require.NoError(t, i.authenticate("one"))
		require.NoError(t, i.tokens.Ready())
		require.ErrorIs(t, i.authenticate("two"), ErrUnavailable)
		require.NotErrorIs(t, i.authenticate("two"), ErrUnauthenticated)
		require.Equal(t, 1, i.log.Count(slog.LevelWarn), "an outage is told once")
		require.Contains(t, i.log.String(), "connection refused")
		require.Less(t, i.fetches, 24*60*3)

		i.add("two")
		i.answers(nil)
		time.Sleep(time.Minute)
		require.NoError(t, i.authenticate("two"))
		require.Equal(t, 2, i.log.Count(slog.LevelInfo), "at the start and now")
	})
}

// A start without the issuer does not wait for it; the tokens do, for a moment.
func TestAStartWithoutTheIssuer(t *testing.T) {
	hang := func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	issueWith(t, func(i *issuer) {
		i.answers(func(r *http.Request) (*http.Response, error) {
			i.mu.Unlock()
			defer i.mu.Lock()
			return hang(r)
		})
	}, func(i *issuer) {
		begin := time.Now()
		require.ErrorIs(t, i.tokens.Ready(), ErrUnavailable)
		require.Zero(t, time.Since(begin))
		require.ErrorIs(t, i.authenticate("one"), ErrUnavailable)
		require.LessOrEqual(t, time.Since(begin), fetchTimeout)
		ready := time.Now()
		require.ErrorIs(t, i.authenticate("one"), ErrUnavailable)
		require.Zero(t, time.Since(ready), "once it has failed, nobody waits")

		i.answers(nil)
		time.Sleep(fetchTimeout + 2*time.Second)
		require.NoError(t, i.tokens.Ready())
		require.NoError(t, i.authenticate("one"))
	})
}

// What is no key set changes nothing.
func TestAnswersThatAreNoKeySet(t *testing.T) {
	for name, answer := range map[string]*http.Response{
		"an error page":     reply(http.StatusBadGateway, "<html>"),
		"a page":            reply(http.StatusOK, "<html>"),
		"empty":             reply(http.StatusOK, ""),
		"no keys":           reply(http.StatusOK, `{"keys":[]}`),
		"only other keys":   reply(http.StatusOK, `{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}`),
		"endless":           reply(http.StatusOK, `{"keys":[`+strings.Repeat(" ", maxSetBytes)+`]}`),
		"too many":          reply(http.StatusOK, `{"keys":[{}`+strings.Repeat(",{}", maxKeys)+`]}`),
		"a redirect":        {StatusCode: http.StatusFound, Header: http.Header{"Location": {"http://id.example.com/"}}, Body: http.NoBody},
		"redirects forever": {StatusCode: http.StatusFound, Header: http.Header{"Location": {"/keys"}}, Body: http.NoBody},
	} {
		t.Run(name, func(t *testing.T) {
			issue(t, func(i *issuer) {
				i.answers(func(*http.Request) (*http.Response, error) { return answer, nil })
				time.Sleep(refreshEvery + time.Second)
				require.NoError(t, i.authenticate("one"))
				require.Equal(t, 1, i.log.Count(slog.LevelWarn), i.log.String())
			})
		})
	}
}
