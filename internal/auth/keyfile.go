package auth

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"strings"
)

// readKeys reads a file of public keys or certificates in PEM. Several are for the time in which an issuer changes
// from one to the next.
func readKeys(path string) (fixedKeys, error) {
	text, err := os.ReadFile(path) //nolint:gosec // the operator names it
	if err != nil {
		return nil, err
	}
	var found fixedKeys
	for {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			break
		}
		public, err := parsePEM(block)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		k, err := publicKey("", public)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		found = append(found, k)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s holds no public key in PEM", path)
	}
	return found, nil
}

func parsePEM(block *pem.Block) (public any, err error) {
	switch block.Type {
	case "PUBLIC KEY":
		return x509.ParsePKIXPublicKey(block.Bytes)
	case "RSA PUBLIC KEY":
		return x509.ParsePKCS1PublicKey(block.Bytes)
	case "CERTIFICATE":
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		return certificate.PublicKey, nil
	}
	if strings.HasSuffix(block.Type, "PRIVATE KEY") {
		return nil, errors.New("it holds a private key, which belongs to the issuer alone; the public one is needed")
	}
	return nil, fmt.Errorf("it holds a %q, which is no public key", block.Type)
}
