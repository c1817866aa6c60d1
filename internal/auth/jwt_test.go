package auth

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"
)

var (
	zero   time.Time
	secret = []byte("a secret of more than thirty-two bytes")
	now    = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
)

// good is a set of claims that a server takes, with changes.
func good(changes jwt.MapClaims) jwt.MapClaims {
	claims := jwt.MapClaims{"sub": "alice", "exp": now.Add(time.Hour).Unix()}
	for name, value := range changes {
		if value == nil {
			delete(claims, name)
			continue
		}
		claims[name] = value
	}
	return claims
}

func sign(t *testing.T, method jwt.SigningMethod, key any, claims jwt.Claims) string {
	t.Helper()
	token, err := jwt.NewWithClaims(method, claims).SignedString(key)
	require.NoError(t, err)
	return "Bearer " + token
}

func verifierAt(t *testing.T, cfg Config) *verifier {
	t.Helper()
	cfg.Mode, cfg.Secret = JWT, secret
	require.NoError(t, cfg.Check())
	return newVerifier(cfg, fixedKeys{secretKey(secret)}, func() time.Time { return now })
}

func TestJWT(t *testing.T) {
	hour := now.Add(time.Hour)
	for name, test := range map[string]struct {
		changes jwt.MapClaims
		want    Caller
	}{
		"a user":                     {nil, Caller{"alice", User, hour}},
		"role USER":                  {jwt.MapClaims{"role": "USER"}, Caller{"alice", User, hour}},
		"role SERVICE":               {jwt.MapClaims{"role": "SERVICE"}, Caller{"alice", Service, hour}},
		"role ADMIN":                 {jwt.MapClaims{"role": "ADMIN"}, Caller{"alice", Admin, hour}},
		"other claims are ignored":   {jwt.MapClaims{"roles": "ADMIN", "iss": "x"}, Caller{"alice", User, hour}},
		"expired within the leeway":  {jwt.MapClaims{"exp": now.Add(-29 * time.Second).Unix()}, Caller{"alice", User, now.Add(-29 * time.Second)}},
		"not yet, within the leeway": {jwt.MapClaims{"nbf": now.Add(29 * time.Second).Unix()}, Caller{"alice", User, hour}},
		"issued by a fast clock":     {jwt.MapClaims{"iat": now.Add(time.Hour).Unix()}, Caller{"alice", User, hour}},
	} {
		t.Run(name, func(t *testing.T) {
			caller, err := verifierAt(t, Config{}).Authenticate(t.Context(), sign(t, jwt.SigningMethodHS256, secret, good(test.changes)))
			require.NoError(t, err)
			require.True(t, test.want.ExpiresAt.Equal(caller.ExpiresAt))
			caller.ExpiresAt = test.want.ExpiresAt
			require.Equal(t, test.want, caller)
		})
	}
}

func TestJWTClaimsRefused(t *testing.T) {
	for name, changes := range map[string]jwt.MapClaims{
		"expired":                  {"exp": now.Add(-31 * time.Second).Unix()},
		"no exp":                   {"exp": nil},
		"exp is a string":          {"exp": "tomorrow"},
		"not valid yet":            {"nbf": now.Add(31 * time.Second).Unix()},
		"nbf is a string":          {"nbf": "yesterday"},
		"no sub":                   {"sub": nil},
		"empty sub":                {"sub": ""},
		"sub is a number":          {"sub": 7},
		"sub with a space":         {"sub": "a b"},
		"sub with a control":       {"sub": "a\x00"},
		"sub too long":             {"sub": strings.Repeat("a", 129)},
		"role in lower case":       {"role": "admin"},
		"unknown role":             {"role": "ROOT"},
		"empty role":               {"role": ""},
		"role is a list":           {"role": []string{"ADMIN"}},
		"role is a number":         {"role": 1},
		"role with trailing space": {"role": "ADMIN "},
	} {
		t.Run(name, func(t *testing.T) {
			requireRefused(t, verifierAt(t, Config{}), sign(t, jwt.SigningMethodHS256, secret, good(changes)))
		})
	}
	t.Run("role is null", func(t *testing.T) {
		claims := good(nil)
		claims["role"] = nil
		requireRefused(t, verifierAt(t, Config{}), sign(t, jwt.SigningMethodHS256, secret, claims))
	})
}

func TestJWTForged(t *testing.T) {
	v := verifierAt(t, Config{})
	for name, authorization := range refused {
		t.Run(name, func(t *testing.T) { requireRefused(t, v, authorization) })
	}
	t.Run("another secret", func(t *testing.T) {
		requireRefused(t, v, sign(t, jwt.SigningMethodHS256, []byte("another secret of more than thirty-two bytes"), good(nil)))
	})
	t.Run("no algorithm", func(t *testing.T) {
		requireRefused(t, v, sign(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, good(nil)))
	})
	t.Run("another HMAC of the same secret", func(t *testing.T) {
		requireRefused(t, v, sign(t, jwt.SigningMethodHS512, secret, good(nil)))
	})
	t.Run("RS256", func(t *testing.T) {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		require.NoError(t, err)
		requireRefused(t, v, sign(t, jwt.SigningMethodRS256, key, good(nil)))
	})
	t.Run("signature cut off", func(t *testing.T) {
		token := sign(t, jwt.SigningMethodHS256, secret, good(nil))
		requireRefused(t, v, token[:strings.LastIndexByte(token, '.')+1])
	})
	t.Run("claims changed after signing", func(t *testing.T) {
		parts := strings.Split(sign(t, jwt.SigningMethodHS256, secret, good(nil)), ".")
		claims, err := json.Marshal(good(jwt.MapClaims{"role": "ADMIN"}))
		require.NoError(t, err)
		parts[1] = base64.RawURLEncoding.EncodeToString(claims)
		requireRefused(t, v, strings.Join(parts, "."))
	})
	t.Run("a critical header", func(t *testing.T) {
		token := jwt.NewWithClaims(jwt.SigningMethodHS256, good(nil))
		token.Header["crit"] = []string{"b64"}
		signed, err := token.SignedString(secret)
		require.NoError(t, err)
		requireRefused(t, v, "Bearer "+signed)
	})
	t.Run("a key id that is a number", func(t *testing.T) {
		token := jwt.NewWithClaims(jwt.SigningMethodHS256, good(nil))
		token.Header["kid"] = 7
		signed, err := token.SignedString(secret)
		require.NoError(t, err)
		requireRefused(t, v, "Bearer "+signed)
	})
	t.Run("a dev token", func(t *testing.T) { requireRefused(t, v, "Bearer dev:alice:admin") })
}

func TestClaimsAreConfigurable(t *testing.T) {
	v := verifierAt(t, Config{RoleClaim: "https://example.com/role", IDClaim: "uid"})
	token := sign(t, jwt.SigningMethodHS256, secret, good(jwt.MapClaims{
		"https://example.com/role": "ADMIN", "role": "ROOT", "uid": "bob",
	}))
	caller, err := v.Authenticate(t.Context(), token)
	require.NoError(t, err)
	require.Equal(t, Admin, caller.Role)
	require.Equal(t, "bob", caller.ID)

	requireRefused(t, v, sign(t, jwt.SigningMethodHS256, secret, good(nil))) // it has a sub alone
	requireRefused(t, v, sign(t, jwt.SigningMethodHS256, secret, good(jwt.MapClaims{"uid": 7})))
}

func TestIssuerAndAudience(t *testing.T) {
	v := verifierAt(t, Config{Issuer: "https://id.example.com", Audience: "rollcall"})
	for name, test := range map[string]struct {
		changes jwt.MapClaims
		allowed bool
	}{
		"both":                 {jwt.MapClaims{"iss": "https://id.example.com", "aud": "rollcall"}, true},
		"one of its audiences": {jwt.MapClaims{"iss": "https://id.example.com", "aud": []string{"other", "rollcall"}}, true},
		"neither":              {nil, false},
		"no issuer":            {jwt.MapClaims{"aud": "rollcall"}, false},
		"another issuer":       {jwt.MapClaims{"iss": "https://id.example.com/", "aud": "rollcall"}, false},
		"issuer in a list":     {jwt.MapClaims{"iss": []string{"https://id.example.com"}, "aud": "rollcall"}, false},
		"no audience":          {jwt.MapClaims{"iss": "https://id.example.com"}, false},
		"no audience at all":   {jwt.MapClaims{"iss": "https://id.example.com", "aud": []string{}}, false},
		"another audience":     {jwt.MapClaims{"iss": "https://id.example.com", "aud": "rollcall-admin"}, false},
		"audience a number":    {jwt.MapClaims{"iss": "https://id.example.com", "aud": 7}, false},
	} {
		t.Run(name, func(t *testing.T) {
			token := sign(t, jwt.SigningMethodHS256, secret, good(test.changes))
			if !test.allowed {
				requireRefused(t, v, token)
				return
			}
			_, err := v.Authenticate(t.Context(), token)
			require.NoError(t, err)
		})
	}
}

// Numbers beyond what a time holds neither last for ever by overflow nor stop anybody.
func TestExtremeTimes(t *testing.T) {
	v := verifierAt(t, Config{})
	for _, exp := range []any{-1, 0, 1e300, -1e300, json.Number("9223372036854775807"), json.Number("1e400")} {
		caller, err := v.Authenticate(t.Context(), sign(t, jwt.SigningMethodHS256, secret, good(jwt.MapClaims{"exp": exp})))
		if err != nil {
			require.ErrorIs(t, err, ErrUnauthenticated)
			continue
		}
		require.True(t, caller.ExpiresAt.After(now), "%v", exp)
	}
}

func TestMint(t *testing.T) {
	cfg := Config{Mode: JWT, Secret: secret, RoleClaim: "r", IDClaim: "i", Issuer: "us", Audience: "them"}
	want := Caller{ID: "alice", Role: Service, ExpiresAt: time.Now().Add(time.Hour).Truncate(time.Second)}
	token, err := Mint(cfg, want)
	require.NoError(t, err)

	authenticator, err := New(cfg, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	caller, err := authenticator.Authenticate(t.Context(), "Bearer "+token)
	require.NoError(t, err)
	require.True(t, want.ExpiresAt.Equal(caller.ExpiresAt))
	caller.ExpiresAt = want.ExpiresAt
	require.Equal(t, want, caller)

	_, err = Mint(cfg, Caller{ID: "a b", Role: User, ExpiresAt: want.ExpiresAt})
	require.Error(t, err)
	_, err = Mint(cfg, Caller{ID: "alice", Role: User})
	require.Error(t, err, "a token that never expires")
	_, err = Mint(Config{Mode: Dev}, want)
	require.Error(t, err)
	_, err = Mint(Config{Mode: JWT, JWKSURL: "https://id.example.com/keys"}, want)
	require.ErrorContains(t, err, "secret")
}
