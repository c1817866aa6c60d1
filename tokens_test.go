package main

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/MicahParks/jwkset"
	"github.com/coder/websocket"
	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"rollcall/internal/auth"
	"rollcall/internal/config"
	"rollcall/internal/logtest"
)

// signed is a token with these claims, or alice's for an hour if there are none, by a key of that id.
func signed(t *testing.T, method jwt.SigningMethod, key any, id string, claims jwt.MapClaims) string {
	t.Helper()
	if claims == nil {
		claims = jwt.MapClaims{"sub": "alice", "aud": "rollcall", "exp": time.Now().Add(time.Hour).Unix()}
	}
	token := jwt.NewWithClaims(method, claims)
	if id != "" {
		token.Header["kid"] = id
	}
	text, err := token.SignedString(key)
	require.NoError(t, err)
	return text
}

func TestTokensByAPublicKeyFile(t *testing.T) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	der, err := x509.MarshalPKIXPublicKey(private.Public())
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "key.pem")
	public := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	require.NoError(t, os.WriteFile(path, public, 0o600))

	s := start(t, func(cfg *config.Config) { cfg.Auth.Mode, cfg.Auth.JWTPublicKeyFile = auth.JWT, path })
	require.Empty(t, post(t, s.url, signed(t, jwt.SigningMethodES256, private, "any", nil), signIn).code())
	require.Equal(t, "UNAUTHENTICATED", post(t, s.url, signed(t, jwt.SigningMethodHS256, public, "", nil), signIn).code())
	require.NotContains(t, s.startup, "rollcall token")
}

// A node that is started while the issuer of tokens is away says that it is not ready, and works as soon as the keys are
// there.
func TestTokensByAKeySet(t *testing.T) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	issuer := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		key, err := jwkset.NewJWKFromKey(public, jwkset.JWKOptions{Metadata: jwkset.JWKMetadataOptions{KID: "one"}})
		if err == nil {
			err = json.NewEncoder(w).Encode(jwkset.JWKSMarshal{Keys: []jwkset.JWKMarshal{key.Marshal()}})
		}
		if err != nil {
			t.Error(err)
		}
	}))
	address := issuer.Listener.Addr().String()
	require.NoError(t, issuer.Listener.Close())

	s := start(t, func(cfg *config.Config) { cfg.Auth.Mode, cfg.Auth.JWKSURL = auth.JWT, "http://"+address+"/keys" })
	token := signed(t, jwt.SigningMethodEdDSA, private, "one", nil)
	require.Equal(t, http.StatusServiceUnavailable, status(t, s.url+"readyz"))
	require.Equal(t, http.StatusOK, status(t, s.url+"healthz"))
	require.Equal(t, "UNAVAILABLE", post(t, s.url, token, signIn).code())

	issuer.Listener, err = new(net.ListenConfig).Listen(t.Context(), "tcp", address)
	require.NoError(t, err)
	issuer.Start()
	defer issuer.Close()
	require.Eventually(t, func() bool { return status(t, s.url+"readyz") == http.StatusOK }, patience, 50*time.Millisecond)
	require.Empty(t, post(t, s.url, token, signIn).code())
	watcher := connect(t, s.url, token)
	watcher.subscribe("1", `subscription { onlineCountChanged }`)
	var count struct{ OnlineCountChanged int }
	watcher.next(&count)

	issuer.Close() // what is known is known
	require.Empty(t, post(t, s.url, token, signIn).code())
}

// Nothing that is logged, at any level, holds a token or a part of one, whatever is wrong with it and wherever it is.
func TestTokensAreNotLogged(t *testing.T) {
	const secret = "a secret of thirty-two bytes, or more"
	var log logtest.Log
	s := startLogging(t, &log, func(cfg *config.Config) {
		cfg.Auth.Mode, cfg.Auth.JWTSecret, cfg.Auth.Audience = auth.JWT, secret, "rollcall"
	})
	claims := func(changes jwt.MapClaims) jwt.MapClaims {
		all := jwt.MapClaims{"sub": "alice", "aud": "rollcall", "exp": time.Now().Add(time.Hour).Unix()}
		for name, value := range changes {
			all[name] = value
		}
		return all
	}
	hs256 := func(claims jwt.MapClaims) string {
		return signed(t, jwt.SigningMethodHS256, []byte(secret), "", claims)
	}
	good := hs256(nil)
	bad := map[string]string{
		"expired":          hs256(claims(jwt.MapClaims{"exp": time.Now().Add(-time.Hour).Unix()})),
		"not yet valid":    hs256(claims(jwt.MapClaims{"nbf": time.Now().Add(time.Hour).Unix()})),
		"another audience": hs256(claims(jwt.MapClaims{"aud": "another"})),
		"no user":          hs256(claims(jwt.MapClaims{"sub": "not a user"})),
		"no role":          hs256(claims(jwt.MapClaims{"role": "not a role"})),
		"not signed":       signed(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, "", nil),
		"another secret":   signed(t, jwt.SigningMethodHS256, []byte("another secret of thirty-two bytes"), "", nil),
		"another's key id": signed(t, jwt.SigningMethodHS512, []byte(secret), "keyidentifier", nil),
		"malformed":        "malformedmalformed." + good[10:],
		"no JSON":          "bm90anNvbm5vdGpzb24.bm90anNvbm5vdGpzb24.bm90anNvbm5vdGpzb24",
		"a dev token":      "dev:somebodysomebody:admin",
	}
	require.Empty(t, post(t, s.url, good, signIn).code())
	for name, token := range bad {
		require.Equal(t, "UNAUTHENTICATED", post(t, s.url, token, signIn).code(), name)
		require.Equal(t, websocket.StatusCode(4403), open(t, s.url, token).closed(), name)
	}
	for _, token := range []string{good, bad["expired"]} {
		query := url.Values{"query": {signIn}, "access_token": {token}}.Encode()
		for _, path := range []string{"graphql", "", "admin", "healthz", "nothing"} {
			status(t, s.url+path+"?"+query)
		}
	}
	s.stop(t)

	require.Contains(t, log.String(), "path=/graphql", "requests are logged")
	require.Contains(t, log.String(), "code=4403", "sockets are logged")
	bad["none"] = good
	for name, token := range bad {
		for part := range strings.FieldsFuncSeq(token, func(r rune) bool { return r == '.' || r == ':' }) {
			if len(part) > 10 {
				require.NotContains(t, log.String(), part, name)
			}
		}
	}
	require.NotContains(t, log.String(), secret)
}
