package auth

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/json"
	"testing"

	"github.com/MicahParks/jwkset"
	"github.com/stretchr/testify/require"
)

func TestReadKeySet(t *testing.T) {
	private := signers(t)
	published := func(kind string, change func(map[string]any)) map[string]any {
		set, err := jwkset.NewJWKFromKey(private[kind].Public(), jwkset.JWKOptions{Metadata: jwkset.JWKMetadataOptions{KID: kind}})
		require.NoError(t, err)
		text, err := json.Marshal(set.Marshal())
		require.NoError(t, err)
		var fields map[string]any
		require.NoError(t, json.Unmarshal(text, &fields))
		change(fields)
		return fields
	}
	field := func(name string, value any) func(map[string]any) {
		return func(fields map[string]any) { fields[name] = value }
	}
	for _, test := range []struct {
		name       string
		published  map[string]any
		algorithms []string // none if it is left out
	}{
		{"RSA", published("RSA", field("use", "sig")), algorithmsOf["RSA"]},
		{"P-256", published("P-256", field("key_ops", []string{"verify"})), algorithmsOf["P-256"]},
		{"P-384", published("P-384", field("alg", "ES384")), algorithmsOf["P-384"]},
		{"P-521", published("P-521", field("x5c", []string{"not looked at"})), algorithmsOf["P-521"]},
		{"Ed25519", published("Ed25519", field("x5u", "https://127.0.0.1:1/not-fetched")), algorithmsOf["Ed25519"]},
		{"RSA narrowed", published("RSA", field("alg", "PS256")), []string{"PS256"}},

		{"for encryption", published("RSA", field("use", "enc")), nil},
		{"for signing alone", published("RSA", field("key_ops", []string{"sign"})), nil},
		{"with another kind's algorithm", published("RSA", field("alg", "HS256")), nil},
		{"with no algorithm", published("Ed25519", field("alg", "none")), nil},
		{"off the curve", published("P-256", field("x", "AQ")), nil},
		{"of an unknown curve", published("P-256", field("crv", "secp256k1")), nil},
		{"short", published("RSA", field("n", "AQAB")), nil},
		{"of the wrong type", published("RSA", field("n", 7)), nil},
		{"secret", map[string]any{"kty": "oct", "k": "c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0"}, nil},
		{"empty", map[string]any{}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			beside := published("Ed25519", field("kid", "beside"))
			text, err := json.Marshal(map[string]any{"keys": []any{test.published, beside, "no key"}})
			require.NoError(t, err)
			found, skipped, err := readKeySet(text)
			require.NoError(t, err, "one bad key does not spoil the others")
			if test.algorithms == nil {
				require.Len(t, found, 1)
				require.Equal(t, "beside", found[0].id)
				require.Equal(t, 2, skipped)
				return
			}
			require.Len(t, found, 2)
			require.Equal(t, test.algorithms, found[0].algorithms)
			require.Equal(t, test.published["kid"], found[0].id)
			switch found[0].material.(type) {
			case *rsa.PublicKey, *ecdsa.PublicKey, ed25519.PublicKey: // and no private one
			default:
				t.Errorf("%T", found[0].material)
			}
		})
	}
}
