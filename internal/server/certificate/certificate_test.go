package certificate

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/logtest"
)

// pair is a certificate of that name and its key, in PEM.
func pair(t *testing.T, name string) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
}

func TestChangesAreFollowed(t *testing.T) {
	certPath, keyPath := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	write := func(path string, text []byte) {
		t.Helper()
		require.NoError(t, os.WriteFile(path, text, 0o600))
	}
	oldCert, oldKey := pair(t, "old")
	newCert, newKey := pair(t, "new")
	write(certPath, oldCert)
	write(keyPath, oldKey)

	synctest.Test(t, func(t *testing.T) {
		log, logged := logtest.New(slog.LevelDebug)
		files, err := Open(certPath, keyPath, log)
		require.NoError(t, err)
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { files.Run(ctx) })
		inUse := func() string {
			time.Sleep(2 * lookEvery)
			synctest.Wait()
			certificate, err := files.Config().GetCertificate(&tls.ClientHelloInfo{})
			require.NoError(t, err)
			return certificate.Leaf.Subject.CommonName
		}
		require.Equal(t, "old", inUse())
		require.Empty(t, logged.String())

		write(certPath, newCert) // of another key
		require.Equal(t, "old", inUse())
		require.Equal(t, "old", inUse())
		require.Equal(t, 1, logged.Count(slog.LevelWarn), "told once")
		write(keyPath, newKey)
		require.Equal(t, "new", inUse())
		require.Equal(t, 1, logged.Count(slog.LevelInfo))

		require.NoError(t, os.Remove(keyPath))
		require.Equal(t, "new", inUse())
		require.Equal(t, 2, logged.Count(slog.LevelWarn))
		write(keyPath, newKey)
		require.Equal(t, "new", inUse())
		require.Equal(t, 2, logged.Count(slog.LevelInfo), "the end is told too")
		require.NotContains(t, logged.String(), "PRIVATE")
		stop()
		running.Wait()
	})
}

func TestFilesThatCannotBeUsed(t *testing.T) {
	cert, _ := pair(t, "one")
	_, key := pair(t, "another")
	certPath, keyPath := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	log := slog.New(slog.DiscardHandler)
	_, err := Open(certPath, keyPath, log)
	require.ErrorContains(t, err, certPath)
	require.NoError(t, os.WriteFile(certPath, cert, 0o600))
	_, err = Open(certPath, keyPath, log)
	require.ErrorContains(t, err, keyPath)
	require.NoError(t, os.WriteFile(keyPath, key, 0o600))
	_, err = Open(certPath, keyPath, log)
	require.ErrorContains(t, err, "private key does not match")
}
