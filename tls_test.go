package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"rollcall/internal/config"
)

// certify writes a new certificate for the loopback, and its key, and trusts it.
func certify(t *testing.T, certPath, keyPath string, trusted *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 64))
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: serial, NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	trusted.AppendCertsFromPEM(cert)
	require.NoError(t, os.WriteFile(certPath, cert, 0o600))
	require.NoError(t, os.WriteFile(keyPath, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
}

// A certificate is replaced without a restart and without a connection lost.
func TestTLSCertificateIsReplaced(t *testing.T) {
	dir := t.TempDir()
	certPath, keyPath := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	before, after := x509.NewCertPool(), x509.NewCertPool()
	certify(t, certPath, keyPath, before)
	s := start(t, func(cfg *config.Config) {
		cfg.HTTP.TLSCertFile, cfg.HTTP.TLSKeyFile = certPath, keyPath
		cfg.Store.TTL, cfg.Store.BackgroundTTL = time.Minute, time.Minute // nobody answers its pings
	})
	require.True(t, strings.HasPrefix(s.url, "https://"))

	trusting := func(pool *x509.CertPool) *http.Client {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}
		t.Cleanup(transport.CloseIdleConnections)
		return &http.Client{Transport: transport, Timeout: patience}
	}
	get := func(client *http.Client) error {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"readyz", nil)
		require.NoError(t, err)
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		require.Equal(t, 2, response.ProtoMajor)
		return response.Body.Close()
	}
	first := trusting(before)
	require.NoError(t, get(first))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	// The WebSocket library asks for no HTTP/2.
	dialer := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: before}}}
	conn, _, err := websocket.Dial(ctx, s.url+"graphql", &websocket.DialOptions{
		HTTPClient: dialer, Subprotocols: []string{"graphql-transport-ws"},
	})
	require.NoError(t, err)
	defer func() { _ = conn.CloseNow() }()
	watcher := &socket{t, conn}
	watcher.write(message{Type: "connection_init"})
	require.Equal(t, "connection_ack", watcher.read().Type)

	require.Error(t, get(trusting(after)))
	certify(t, certPath, keyPath, after)
	require.Eventually(t, func() bool { return get(trusting(after)) == nil }, patience, 100*time.Millisecond)
	require.Error(t, get(trusting(before)))

	require.NoError(t, get(first), "its connection is still the first one")
	watcher.write(message{Type: "ping"})
	require.Equal(t, "pong", watcher.read().Type)
}
