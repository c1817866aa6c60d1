package auth

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/MicahParks/jwkset"
)

// maxKeys is the most keys of a set. Issuers have a handful, and a token without a key id is tried with each that
// suits it.
const maxKeys = 100

// readKeySet reads a JSON Web Key Set (RFC 7517). Keys that are not for signatures, of a kind that tokens are not signed
// with, or broken are left out, and so are secrets; how many, skipped says. A set without any key left is an error.
func readKeySet(text []byte) (found []key, skipped int, err error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if json.Unmarshal(text, &set) != nil {
		return nil, 0, errors.New("the answer is not a JSON Web Key Set")
	}
	if len(set.Keys) > maxKeys {
		return nil, 0, errors.New("the key set has too many keys")
	}
	for _, text := range set.Keys {
		k, err := readJWK(text)
		if err != nil {
			skipped++
			continue
		}
		found = append(found, k)
	}
	if len(found) == 0 {
		return nil, skipped, errors.New("the key set has no key that tokens can be signed with")
	}
	return found, skipped, nil
}

func readJWK(text []byte) (key, error) {
	var read jwkset.JWKMarshal
	if err := json.Unmarshal(text, &read); err != nil {
		return key{}, err
	}
	if read.USE != "" && read.USE != jwkset.UseSig {
		return key{}, errors.New("the key is not for signatures")
	}
	if len(read.KEYOPS) > 0 && !slices.Contains(read.KEYOPS, jwkset.KeyOpsVerify) {
		return key{}, errors.New("the key is not for signatures")
	}
	// The key's own numbers and nothing else: certificates that are named by a URL would be fetched.
	public, err := jwkset.NewJWKFromMarshal(
		jwkset.JWKMarshal{KTY: read.KTY, CRV: read.CRV, X: read.X, Y: read.Y, N: read.N, E: read.E},
		jwkset.JWKMarshalOptions{}, jwkset.JWKValidateOptions{},
	)
	if err != nil {
		return key{}, err
	}
	k, err := publicKey(read.KID, public.Key())
	if err != nil {
		return key{}, err
	}
	if algorithm := read.ALG.String(); algorithm != "" { // which narrows what its kind allows
		if !slices.Contains(k.algorithms, algorithm) {
			return key{}, errors.New("the key's algorithm is not one of its kind")
		}
		k.algorithms = []string{algorithm}
	}
	return k, nil
}
