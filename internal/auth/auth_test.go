package auth

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestNewRefusesWhatCannotWork(t *testing.T) {
	for name, cfg := range map[string]Config{
		"no mode":      {},
		"unknown mode": {Mode: "none"},
		"no secret":    {Mode: JWT},
		"short secret": {Mode: JWT, Secret: []byte(strings.Repeat("s", MinSecretBytes-1))},
		"two sources":  {Mode: JWT, Secret: secret, JWKSURL: "https://id.example.com/keys"},
		"no such file": {Mode: JWT, PublicKeyFile: filepath.Join(t.TempDir(), "key.pem")},
		"plain HTTP":   {Mode: JWT, JWKSURL: "http://id.example.com/keys"},
		"no URL":       {Mode: JWT, JWKSURL: "id.example.com/keys"},
		"a file's URL": {Mode: JWT, JWKSURL: "file:///etc/keys"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(cfg, slog.New(slog.DiscardHandler))
			require.Error(t, err)
		})
	}
}

func TestRequire(t *testing.T) {
	_, err := Require(t.Context(), User)
	require.ErrorIs(t, err, ErrUnauthenticated)

	ctx := WithCaller(t.Context(), Caller{ID: "gw", Role: Service})
	_, err = Require(ctx, Admin)
	require.ErrorIs(t, err, ErrForbidden)
	caller, err := Require(ctx, Service, Admin)
	require.NoError(t, err)
	require.Equal(t, "gw", caller.ID)
}

func TestAuthorizationAddsTheScheme(t *testing.T) {
	for value, want := range map[string]string{
		"":                 "",
		"dev:alice":        "Bearer dev:alice",
		"Bearer dev:alice": "Bearer dev:alice",
		"bearer dev:alice": "bearer dev:alice",
		"Basic dev:alice":  "Basic dev:alice",
		"Bearer ":          "Bearer ",
	} {
		require.Equal(t, want, Authorization(value))
	}
}

// refused are authorizations that no mode takes.
var refused = map[string]string{
	"none":           "",
	"scheme only":    "Bearer",
	"empty token":    "Bearer ",
	"blank token":    "Bearer    ",
	"no scheme":      "dev:alice",
	"other scheme":   "Basic ZGV2OmFsaWNl",
	"garbage":        "Bearer \x00\xff",
	"dots":           "Bearer ..",
	"huge":           "Bearer dev:" + strings.Repeat("a", 1<<20),
	"many segments":  "Bearer " + strings.Repeat("a.", 1000),
	"line separator": "Bearer\ndev:alice",
}

func requireRefused(t *testing.T, a Authenticator, authorization string) {
	t.Helper()
	caller, err := a.Authenticate(t.Context(), authorization)
	require.ErrorIs(t, err, ErrUnauthenticated)
	require.Zero(t, caller)
	require.Less(t, len(err.Error()), 200, "the error must not echo the token")
}
