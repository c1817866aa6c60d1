package auth

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"errors"
	"fmt"
	"slices"

	"github.com/golang-jwt/jwt/v5"
)

// minRSABits is the least length of an RSA key, as RFC 7518, section 3.3, asks for.
const minRSABits = 2048

// key verifies signatures, by the algorithms of its kind and no others: what a token says of its
// own algorithm is not to be believed.
type key struct {
	id         string // empty if it has none
	material   any    // as golang-jwt takes it
	algorithms []string
}

// keys are where a verifier has its keys from.
type keys interface {
	// find is what may have signed a token of this algorithm and key id; the id is empty if the token names none.
	// The error is a [*TokenError], or [ErrUnavailable] if it can't be told now.
	find(ctx context.Context, algorithm, id string) ([]key, error)
}

func secretKey(secret []byte) key {
	return key{material: secret, algorithms: []string{jwt.SigningMethodHS256.Alg()}}
}

// publicKey is the key of an RSA, ECDSA or Ed25519 public key.
func publicKey(id string, public any) (key, error) {
	switch public := public.(type) {
	case *rsa.PublicKey:
		if bits := public.N.BitLen(); bits < minRSABits {
			return key{}, fmt.Errorf("an RSA key has %d bits; it needs at least %d", bits, minRSABits)
		}
		return key{id, public, []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"}}, nil
	case *ecdsa.PublicKey:
		switch public.Curve {
		case elliptic.P256():
			return key{id, public, []string{"ES256"}}, nil
		case elliptic.P384():
			return key{id, public, []string{"ES384"}}, nil
		case elliptic.P521():
			return key{id, public, []string{"ES512"}}, nil
		}
		return key{}, errors.New("an ECDSA key is not of P-256, P-384 or P-521")
	case ed25519.PublicKey:
		return key{id, public, []string{"EdDSA"}}, nil
	default:
		return key{}, errors.New("a key is none of RSA, ECDSA and Ed25519")
	}
}

// fixedKeys never change. Key ids mean nothing to them.
type fixedKeys []key

var _ keys = fixedKeys(nil)

func (f fixedKeys) find(_ context.Context, algorithm, _ string) ([]key, error) {
	return suited(f, algorithm), nil
}

// suited are the keys that an algorithm may be used with.
func suited(all []key, algorithm string) []key {
	var some []key
	for _, k := range all {
		if slices.Contains(k.algorithms, algorithm) {
			some = append(some, k)
		}
	}
	return some
}
