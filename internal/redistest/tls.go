package redistest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TLS is a server's certificate and the private authority that it is of.
type TLS struct {
	// CAFile holds the authority's certificate, which clients have to trust.
	CAFile string

	certFile, keyFile string
	client            *tls.Config // of this package's own clients
}

// NewTLS makes an authority of its own and a server certificate for a host, which is
// an IP address or a DNS name.
func NewTLS(t testing.TB, host string) *TLS {
	t.Helper()
	authority := &x509.Certificate{
		Subject: pkix.Name{CommonName: "authority of " + t.Name()}, SerialNumber: big.NewInt(1),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	server := &x509.Certificate{
		Subject: pkix.Name{CommonName: host}, SerialNumber: big.NewInt(2),
		KeyUsage: x509.KeyUsageDigitalSignature,
		// Nodes of a Cluster show each other the same certificate from both ends.
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if ip := net.ParseIP(host); ip != nil {
		server.IPAddresses = []net.IP{ip}
	} else {
		server.DNSNames = []string{host}
	}
	authorityKey, serverKey := newKey(t), newKey(t)
	root := sign(t, authority, authority, authorityKey, authorityKey)
	leaf := sign(t, server, authority, serverKey, authorityKey)
	key, err := x509.MarshalECPrivateKey(serverKey)
	if err != nil {
		t.Fatalf("redistest: key: %v", err)
	}
	dir := t.TempDir()
	made := &TLS{
		CAFile:   writePEM(t, filepath.Join(dir, "ca.pem"), "CERTIFICATE", root),
		certFile: writePEM(t, filepath.Join(dir, "server.pem"), "CERTIFICATE", leaf),
		keyFile:  writePEM(t, filepath.Join(dir, "server.key"), "EC PRIVATE KEY", key),
		client:   &tls.Config{ServerName: host, RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12},
	}
	parsed, err := x509.ParseCertificate(root)
	if err != nil {
		t.Fatalf("redistest: authority: %v", err)
	}
	made.client.RootCAs.AddCert(parsed)
	return made
}

// arguments make a redis-server show the certificate. It demands none of its clients.
func (c *TLS) arguments() []string {
	return []string{
		"--tls-cert-file", c.certFile, "--tls-key-file", c.keyFile, "--tls-ca-cert-file", c.CAFile,
		"--tls-auth-clients", "no", "--tls-replication", "yes", "--tls-cluster", "yes",
	}
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatalf("redistest: key: %v", err)
	}
	return key
}

// sign makes the certificate of key by the issuer's.
func sign(t testing.TB, certificate, issuer *x509.Certificate, key, issuerKey *ecdsa.PrivateKey) []byte {
	t.Helper()
	// A clock that is set back meanwhile must not end the certificate.
	certificate.NotBefore, certificate.NotAfter = time.Now().Add(-24*time.Hour), time.Now().Add(24*time.Hour)
	raw, err := x509.CreateCertificate(rand.Reader, certificate, issuer, &key.PublicKey, issuerKey)
	if err != nil {
		t.Fatalf("redistest: certificate: %v", err)
	}
	return raw
}

func writePEM(t testing.TB, path, kind string, content []byte) string {
	t.Helper()
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: content}), 0o600); err != nil {
		t.Fatalf("redistest: %v", err)
	}
	return path
}
