// Package certificate has a TLS server's certificate from files, and follows them when they change.
package certificate

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"
)

// lookEvery is how often the files are read. They are a few kilobytes, and no notice of a change works on every file
// system and with every way of replacing a file.
const lookEvery = 5 * time.Second

// Files are a certificate with its chain, and its private key, both in PEM.
type Files struct {
	certPath, keyPath string
	log               *slog.Logger
	current           atomic.Pointer[tls.Certificate]

	// Of the one who looks: what is in use, and whether that is told.
	cert, key []byte
	failed    bool
}

// Open reads the files.
func Open(certPath, keyPath string, log *slog.Logger) (*Files, error) {
	f := &Files{certPath: certPath, keyPath: keyPath, log: log}
	if _, err := f.look(); err != nil {
		return nil, err
	}
	return f, nil
}

// Config is a server's configuration. Connections that are open keep the certificate that they began with.
func (f *Files) Config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return f.current.Load(), nil },
	}
}

// Run follows the files until ctx ends. While they can't be used, as between the replacement of one and of the other, the
// certificate stays as it is.
func (f *Files) Run(ctx context.Context) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		switch changed, err := f.look(); {
		case err != nil && !f.failed:
			f.failed = true
			f.log.WarnContext(ctx, "the TLS certificate's files can't be used; going on with what they were", "err", err)
		case err == nil && (changed || f.failed):
			f.failed = false
			f.log.InfoContext(ctx, "the TLS certificate was read anew", "expires", f.current.Load().Leaf.NotAfter)
		}
	}
}

// look reads the files, and takes over what is new in them.
func (f *Files) look() (changed bool, err error) {
	cert, err := os.ReadFile(f.certPath)
	if err != nil {
		return false, err
	}
	key, err := os.ReadFile(f.keyPath)
	if err != nil {
		return false, err
	}
	if bytes.Equal(cert, f.cert) && bytes.Equal(key, f.key) {
		return false, nil
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return false, fmt.Errorf("%s and %s: %w", f.certPath, f.keyPath, err)
	}
	f.cert, f.key = cert, key
	f.current.Store(&pair)
	return true, nil
}
