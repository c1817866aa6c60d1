package redistest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"
)

// startDeadline bounds the wait for a new server's first PING. It is long
// since test machines are busy.
const startDeadline = 20 * time.Second

// process is one redis-server and what is needed to start it again.
type process struct {
	dir   string
	port  int
	guard Guard
	args  []string

	cmd  *exec.Cmd
	done chan struct{} // closed when cmd has ended and was waited for
}

// launch starts a server on a free port. Between the look for the port and its
// use another process may take it, so it tries a few.
func launch(dir string, guard Guard, args []string) (*process, error) {
	var last error
	for range 5 {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		p := &process{dir: dir, port: port, guard: guard, args: args}
		if last = p.run(); last == nil {
			return p, nil
		}
		if errors.Is(last, exec.ErrNotFound) {
			break
		}
	}
	return nil, last
}

// freePort looks below the ports that systems give to outgoing connections, so
// that the port is still free at a Restart; and below 22000, so that a cluster
// node's bus port (10000 above) is below them too.
func freePort() (int, error) {
	for range 100 {
		port := 10000 + rand.IntN(12000)
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			continue
		}
		return port, l.Close()
	}
	return 0, errors.New("no free port between 10000 and 22000")
}

func (p *process) addr() string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(p.port))
}

// restart starts the server again after kill.
func (p *process) restart() error {
	var err error
	for range 5 {
		if err = p.run(); err == nil {
			return nil
		}
	}
	return err
}

// sentinelMode before the name of a configuration file makes the server a Sentinel.
const sentinelMode = "--sentinel"

func (p *process) arguments() []string {
	args := append(p.guard.arguments(strconv.Itoa(p.port)), "--bind", "127.0.0.1", "--dir", p.dir)
	if len(p.args) > 1 && p.args[0] == sentinelMode {
		return append([]string{p.args[1], sentinelMode}, args...)
	}
	return append(append(args, "--save", "", "--appendonly", "no"), p.args...)
}

// run starts the server and waits until it answers.
func (p *process) run() error {
	logPath := filepath.Join(p.dir, "redis.log")
	logFile, err := os.Create(logPath)
	if err != nil {
		return err
	}
	defer func() { _ = logFile.Close() }()

	p.cmd = exec.Command("redis-server", p.arguments()...)
	p.cmd.Stdout, p.cmd.Stderr = logFile, logFile
	p.cmd.SysProcAttr = sysProcAttr()
	p.done = make(chan struct{})

	started := make(chan error, 1)
	go func() {
		// The kernel ends the child when the thread that started it ends
		// (PR_SET_PDEATHSIG), so that thread is kept until the child is gone.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(p.done)
		err := p.cmd.Start()
		started <- err
		if err == nil {
			_ = p.cmd.Wait() // ends by our signal; how is of no interest
		}
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("start redis-server: %w", err)
	}
	if err := p.awaitPing(); err != nil {
		p.kill()
		log, _ := os.ReadFile(logPath)
		return fmt.Errorf("%w; its log:\n%s", err, log)
	}
	return nil
}

func (p *process) awaitPing() error {
	deadline := time.After(startDeadline)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		err := ping(p.guard.options(p.addr()), p.cmd.Process.Pid)
		if err == nil {
			return nil
		}
		select {
		case <-p.done:
			return errors.New("redis-server ended at once")
		case <-deadline:
			return fmt.Errorf("redis-server does not answer: %w", err)
		case <-tick.C:
		}
	}
}

// kill ends the server and waits for it; on an ended one it does nothing.
func (p *process) kill() {
	if p.cmd.Process != nil {
		_ = p.cmd.Process.Kill() // fails only when it has ended
	}
	<-p.done
}
