// Package process starts the servers that are measured, each a process of its own on
// a free port of 127.0.0.1, and tells what they use.
package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// startDeadline bounds the wait for a server's first answer. It is long since the
// machine may be busy.
const startDeadline = 30 * time.Second

// Child is a server that was started.
type Child struct {
	Name string
	// Addr is the host:port that it listens on.
	Addr string
	// Profiles is the host:port that it serves its profiles on; empty if it has none.
	Profiles string

	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended and was waited for
}

// Program is what to start.
type Program struct {
	Name string // also that of its log
	Path string
	Args []string
	Env  []string // besides PATH and HOME
	Dir  string   // where it runs and logs
	Addr string
	User *syscall.Credential // nil: run as the current user
	// Ready is nil once the server answers.
	Ready func(context.Context) error
}

// Start starts a server, which ends with ctx at the latest, and waits until it answers.
func Start(ctx context.Context, p Program) (*Child, error) {
	logPath := filepath.Join(p.Dir, p.Name+".log")
	logFile, err := os.Create(logPath) // #nosec G304 -- a folder of our own
	if err != nil {
		return nil, err
	}
	defer func() { _ = logFile.Close() }()

	cmd := exec.CommandContext(ctx, p.Path, p.Args...) // #nosec G204 -- the programs are ours to choose
	cmd.Dir = p.Dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.Dir, "LC_ALL=C"}, p.Env...)
	cmd.Stdout, cmd.Stderr = logFile, logFile
	cmd.SysProcAttr = sysProcAttr(p.User)
	c := &Child{Name: p.Name, Addr: p.Addr, cmd: cmd, done: make(chan struct{})}

	started := make(chan error, 1)
	go func() {
		// The kernel ends the child when the thread that started it ends
		// (PR_SET_PDEATHSIG), so that thread is kept until the child is gone.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(c.done)
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // ends by our signal; how is of no interest
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", p.Name, err)
	}
	if err := c.await(ctx, p.Ready); err != nil {
		c.Stop()
		log, _ := os.ReadFile(logPath) // #nosec G304 -- as above
		return nil, fmt.Errorf("%s: %w; its log:\n%s", p.Name, err, log)
	}
	return c, nil
}

func (c *Child) await(ctx context.Context, ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, startDeadline)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		err := ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-c.done:
			return errors.New("it ended at once")
		case <-ctx.Done():
			return fmt.Errorf("it does not answer: %w", err)
		case <-tick.C:
		}
	}
}

// Stop ends the server at once, as a crash would; on an ended one it does nothing.
func (c *Child) Stop() {
	_ = c.cmd.Process.Kill() // fails only when it has ended
	<-c.done
}

// PID is the server's process.
func (c *Child) PID() int { return c.cmd.Process.Pid }

// FreeAddr is a loopback address that nobody listens on.
func FreeAddr(ctx context.Context) (string, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// OK is a Ready that asks for an HTTP address.
func OK(url string) func(context.Context) error {
	return func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		defer func() { _ = resp.Body.Close() }()
		if resp.StatusCode >= http.StatusBadRequest {
			return fmt.Errorf("%s: %s", url, resp.Status)
		}
		return nil
	}
}
