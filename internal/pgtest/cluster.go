package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// startDeadline bounds the wait for a new server. It is long since test
// machines are busy.
const startDeadline = 30 * time.Second

// cluster is one data directory and the server that runs on it.
type cluster struct {
	bin, dir string
	port     int
	user     *syscall.Credential // nil: run as the current user

	cmd  *exec.Cmd
	done chan struct{} // closed when cmd has ended and was waited for
}

func launch() (*cluster, error) {
	bin, err := Programs()
	if err != nil {
		return nil, err
	}
	user, err := ServerUser()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pgtest-")
	if err != nil {
		return nil, err
	}
	c := &cluster{bin: bin, dir: dir, user: user}
	if err := c.initialise(); err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	// Between the look for a free port and its use another process may take
	// it, so a few are tried.
	for range 5 {
		if err = c.run(); err == nil {
			return c, nil
		}
	}
	_ = os.RemoveAll(dir)
	return nil, err
}

func (c *cluster) url(database string) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable", c.port, database)
}

func (c *cluster) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(c.bin, name), args...)
	cmd.Dir = c.dir
	cmd.SysProcAttr = sysProcAttr(c.user)
	cmd.Env = []string{"LC_ALL=C", "PATH=" + os.Getenv("PATH"), "HOME=" + c.dir}
	return cmd
}

func (c *cluster) initialise() error {
	if c.user != nil {
		if err := os.Chown(c.dir, int(c.user.Uid), int(c.user.Gid)); err != nil {
			return err
		}
	}
	out, err := c.command("initdb", "--no-sync", "--no-locale", "-E", "UTF8",
		"-A", "trust", "-U", "postgres", "-D", filepath.Join(c.dir, "data")).CombinedOutput()
	if err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return nil
}

// run starts the server and waits until it answers.
func (c *cluster) run() error {
	port, err := freePort()
	if err != nil {
		return err
	}
	logPath := filepath.Join(c.dir, "postgres.log")
	logFile, err := os.Create(logPath)
	if err != nil {
		return err
	}
	defer func() { _ = logFile.Close() }()

	c.port = port
	c.cmd = c.command("postgres", "-D", filepath.Join(c.dir, "data"),
		"-p", strconv.Itoa(port), "-k", c.dir, "-c", "listen_addresses=127.0.0.1",
		"-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off")
	c.cmd.Stdout, c.cmd.Stderr = logFile, logFile
	c.done = make(chan struct{})

	started := make(chan error, 1)
	go func() {
		// The kernel ends the child when the thread that started it ends
		// (PR_SET_PDEATHSIG), so that thread is kept until the child is gone.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(c.done)
		err := c.cmd.Start()
		started <- err
		if err == nil {
			_ = c.cmd.Wait() // ends by our signal; how is of no interest
		}
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("start postgres: %w", err)
	}
	if err := c.await(); err != nil {
		c.stop()
		log, _ := os.ReadFile(logPath)
		return fmt.Errorf("%w; its log:\n%s", err, log)
	}
	return nil
}

func (c *cluster) await() error {
	deadline := time.After(startDeadline)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := c.answers()
		if err == nil {
			return nil
		}
		select {
		case <-c.done:
			return errors.New("postgres ended at once")
		case <-deadline:
			return fmt.Errorf("postgres does not answer: %w", err)
		case <-tick.C:
		}
	}
}

// answers reports whether the server at our port is up and serves our data
// directory rather than another's.
func (c *cluster) answers() error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, c.url("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	var data string
	if err := conn.QueryRow(ctx, `SHOW data_directory`).Scan(&data); err != nil {
		return err
	}
	if !strings.HasPrefix(data, c.dir) {
		return fmt.Errorf("port %d is served by another cluster", c.port)
	}
	return nil
}

// stop ends the server without its shutdown checkpoint.
func (c *cluster) stop() {
	_ = c.cmd.Process.Signal(syscall.SIGQUIT) // fails only when it has ended
	select {
	case <-c.done:
	case <-time.After(10 * time.Second):
		_ = c.cmd.Process.Kill()
		<-c.done
	}
}

func (c *cluster) remove() {
	c.stop()
	_ = os.RemoveAll(c.dir)
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}
