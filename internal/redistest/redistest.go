// Package redistest starts private Redis servers for tests.
//
// A server listens on a free port of 127.0.0.1, keeps nothing on disk and ends
// with the test, or with the test binary when it is shared. Tests never use a
// server that was already there.
package redistest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// Server is a running redis-server that belongs to one test, or one test's
// handle on the server that the whole test binary shares.
type Server struct {
	// Addr is the host:port it listens on. It stays the same over Restart.
	Addr string

	t      testing.TB
	proc   *process
	shared bool
}

// Start runs a redis-server with the given extra arguments, such as
// "--maxmemory", "64mb". It answers PING when Start returns, and is killed
// when the test ends.
func Start(t testing.TB, args ...string) *Server {
	t.Helper()
	return Guard{}.Start(t, args...)
}

// Start is the function Start for a server that demands what g says.
func (g Guard) Start(t testing.TB, args ...string) *Server {
	t.Helper()
	proc, err := launch(t.TempDir(), g, args)
	if err != nil {
		t.Fatalf("redistest: %v", err)
	}
	t.Cleanup(proc.kill)
	return &Server{Addr: proc.addr(), t: t, proc: proc}
}

// URL is the redis:// URL of the server, with TLS rediss://, with what it demands.
func (s *Server) URL() string { return s.URLAs(s.proc.guard) }

// URLAs is the URL with what g demands, whatever the server does.
func (s *Server) URLAs(g Guard) string {
	scheme := "redis"
	if g.TLS != nil {
		scheme = "rediss"
	}
	return g.url(scheme, s.Addr+"/0", url.Values{})
}

// Client returns a new client of the server, closed when the test ends. It
// heeds the deadlines of contexts, as the service's own clients do.
func (s *Server) Client() *redis.Client {
	s.t.Helper()
	c := redis.NewClient(s.proc.guard.options(s.Addr))
	s.t.Cleanup(func() { _ = c.Close() })
	return c
}

// Stop kills the server at once, as a crash would. Without persistence, which
// is the default, its data is lost.
func (s *Server) Stop() {
	s.t.Helper()
	s.mustOwn("Stop")
	s.proc.kill()
}

// Restart starts a stopped server on the same port; a running one is stopped
// first. It answers PING when Restart returns.
func (s *Server) Restart() {
	s.t.Helper()
	s.mustOwn("Restart")
	s.proc.kill()
	if err := s.proc.restart(); err != nil {
		s.t.Fatalf("redistest: restart: %v", err)
	}
}

// Pause freezes the server: connections stay open, and nothing is answered
// until Resume.
func (s *Server) Pause() {
	s.t.Helper()
	s.mustOwn("Pause")
	s.signal(syscall.SIGSTOP)
}

// Resume ends a Pause.
func (s *Server) Resume() {
	s.t.Helper()
	s.mustOwn("Resume")
	s.signal(syscall.SIGCONT)
}

func (s *Server) signal(sig os.Signal) {
	s.t.Helper()
	if err := s.proc.cmd.Process.Signal(sig); err != nil {
		s.t.Fatalf("redistest: %v: %v", sig, err)
	}
}

// mustOwn keeps one test's outage from hitting others.
func (s *Server) mustOwn(method string) {
	s.t.Helper()
	if s.shared {
		s.t.Fatalf("redistest: %s on the shared server; use Start", method)
	}
}

// Prefix returns a key prefix that no other test uses. It contains no braces,
// so that it may be put inside a hash tag.
func Prefix(t testing.TB) string {
	t.Helper()
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		default:
			return '_'
		}
	}, t.Name())
	if len(name) > 40 {
		name = name[:40]
	}
	return fmt.Sprintf("t-%s-%s", name, rand.Text()[:8])
}

// ping reports whether a server answers, and is the process pid rather than
// another that has the port.
func ping(options *redis.Options, pid int) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	options.MaxRetries, options.DialTimeout = -1, time.Second
	c := redis.NewClient(options)
	defer func() { _ = c.Close() }()
	if err := c.Ping(ctx).Err(); err != nil {
		return err
	}
	info, err := c.Info(ctx, "server").Result()
	if err != nil {
		return err
	}
	if !strings.Contains(info, fmt.Sprintf("process_id:%d\r\n", pid)) {
		return fmt.Errorf("%s is served by another process", options.Addr)
	}
	return nil
}
