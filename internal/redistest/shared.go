package redistest

import (
	"fmt"
	"os"
	"sync"
	"testing"
)

// Runner is what testing.M and goleak's VerifyTestMain agree on.
type Runner interface{ Run() int }

// Main wraps a package's tests so that they may use Shared, and ends the
// shared server after them:
//
//	func TestMain(m *testing.M) { goleak.VerifyTestMain(redistest.Main(m)) }
//
// or os.Exit(redistest.Main(m).Run()) without goleak.
func Main(m Runner) Runner { return &runner{tests: m} }

// Shared returns a handle on the one server of this test binary, started at
// first use; the package's TestMain must use Main. Tests that share it keep to
// their own Prefix and may not stop or pause it.
func Shared(t testing.TB) *Server {
	t.Helper()
	proc, err := binary.start()
	if err != nil {
		t.Fatalf("redistest: %v", err)
	}
	return &Server{Addr: proc.addr(), t: t, proc: proc, shared: true}
}

type runner struct{ tests Runner }

func (r *runner) Run() int {
	binary.allow()
	defer binary.stop()
	return r.tests.Run()
}

// binary is the test binary's server. It is package state because that is what
// it stands for: the testing package has no other place that all tests see.
var binary sharedProcess

type sharedProcess struct {
	mu      sync.Mutex
	allowed bool // whether someone will stop it
	dir     string
	proc    *process
}

func (s *sharedProcess) allow() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.allowed = true
}

func (s *sharedProcess) start() (*process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.allowed {
		return nil, fmt.Errorf("Shared needs redistest.Main in the package's TestMain")
	}
	if s.proc != nil {
		return s.proc, nil
	}
	dir, err := os.MkdirTemp("", "redistest-")
	if err != nil {
		return nil, err
	}
	proc, err := launch(dir, Guard{}, nil)
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	s.dir, s.proc = dir, proc
	return proc, nil
}

func (s *sharedProcess) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc == nil {
		return
	}
	s.proc.kill()
	_ = os.RemoveAll(s.dir)
	s.proc, s.allowed = nil, false
}
