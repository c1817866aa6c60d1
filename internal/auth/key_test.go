package auth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"
)

// signer is a private key as a signing method takes it.
type signer interface{ Public() crypto.PublicKey }

// signers are one private key of each kind.
func signers(t *testing.T) map[string]signer {
	t.Helper()
	made := make(map[string]signer)
	var err error
	made["RSA"], err = rsa.GenerateKey(rand.Reader, minRSABits)
	require.NoError(t, err)
	for name, curve := range map[string]elliptic.Curve{"P-256": elliptic.P256(), "P-384": elliptic.P384(), "P-521": elliptic.P521()} {
		made[name], err = ecdsa.GenerateKey(curve, rand.Reader)
		require.NoError(t, err)
	}
	_, made["Ed25519"], err = ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	return made
}

// algorithmsOf are the algorithms that each kind may be used with.
var algorithmsOf = map[string][]string{
	"secret": {"HS256"}, "RSA": {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"},
	"P-256": {"ES256"}, "P-384": {"ES384"}, "P-521": {"ES512"}, "Ed25519": {"EdDSA"},
}

func pemOf(t *testing.T, public crypto.PublicKey) []byte {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(public)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

func file(t *testing.T, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key.pem")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}

// A server takes no algorithm but those of its own keys' kinds: not "none", not an HMAC whose secret is a public key,
// which everybody has, and not another kind's.
func TestAlgorithmsArePinnedByTheKey(t *testing.T) {
	private := signers(t)
	keys := map[string]any{"secret": secret}
	servers := map[string]Authenticator{}
	for kind, key := range private {
		keys[kind] = key
		tokens, err := New(Config{Mode: JWT, PublicKeyFile: file(t, pemOf(t, key.Public()))}, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		servers[kind] = tokens
	}
	var err error
	servers["secret"], err = New(Config{Mode: JWT, Secret: secret}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)

	claims := jwt.MapClaims{"sub": "alice", "exp": time.Now().Add(time.Hour).Unix()}
	for _, algorithm := range jwt.GetAlgorithms() {
		method := jwt.GetSigningMethod(algorithm)
		for kind, server := range servers {
			candidates := []any{jwt.UnsafeAllowNoneSignatureType, []byte(""), secret}
			for _, key := range keys {
				candidates = append(candidates, key)
			}
			if public, asymmetric := private[kind]; asymmetric {
				candidates = append(candidates, pemOf(t, public.Public()), fmt.Append(nil, public.Public()))
			}
			taken := 0
			for _, key := range candidates {
				token, err := jwt.NewWithClaims(method, claims).SignedString(key)
				if err != nil {
					continue // of another kind
				}
				caller, err := server.Authenticate(t.Context(), "Bearer "+token)
				if err == nil {
					require.Equal(t, "alice", caller.ID)
					taken++
					continue
				}
				require.ErrorIs(t, err, ErrUnauthenticated)
			}
			allowed := slices.Contains(algorithmsOf[kind], algorithm)
			require.Equal(t, allowed, taken > 0, "%s for %s", algorithm, kind)
		}
	}
}

func TestKeyFiles(t *testing.T) {
	private := signers(t)
	old, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	two := append(pemOf(t, private["RSA"].Public()), pemOf(t, old.Public())...)
	tokens, err := New(Config{Mode: JWT, PublicKeyFile: file(t, two)}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.NoError(t, tokens.Ready())
	for method, key := range map[jwt.SigningMethod]any{jwt.SigningMethodRS256: private["RSA"], jwt.SigningMethodES256: old} {
		token := sign(t, method, key, jwt.MapClaims{"sub": "alice", "exp": time.Now().Add(time.Hour).Unix()})
		_, err = tokens.Authenticate(t.Context(), token)
		require.NoError(t, err, "each of a file's keys is taken")
	}

	der, err := x509.MarshalPKCS8PrivateKey(private["RSA"])
	require.NoError(t, err)
	short, err := rsa.GenerateKey(rand.Reader, 1024)
	require.NoError(t, err)
	curve, err := ecdsa.GenerateKey(elliptic.P224(), rand.Reader)
	require.NoError(t, err)
	for says, text := range map[string][]byte{
		"private key":     pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}),
		"no public key":   []byte("ssh-ed25519 AAAA"),
		"2048":            pemOf(t, short.Public()),
		"P-256":           pemOf(t, curve.Public()),
		`"MESSAGE"`:       pem.EncodeToMemory(&pem.Block{Type: "MESSAGE", Bytes: []byte("x")}),
		"x509":            pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: []byte("x")}),
		"holds no public": nil,
	} {
		t.Run(says, func(t *testing.T) {
			path := file(t, text)
			_, err := New(Config{Mode: JWT, PublicKeyFile: path}, slog.New(slog.DiscardHandler))
			require.ErrorContains(t, err, says)
			require.ErrorContains(t, err, path)
		})
	}
}
