package faults

import (
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/logtest"
)

const (
	// startWithin is long since test machines are busy.
	startWithin = 30 * time.Second
	// stopWithin is how long a node may take to end when it is told to.
	stopWithin = 5 * time.Second
	tick       = 20 * time.Millisecond
)

// node is a running `rollcall serve`.
type node struct {
	t   *testing.T
	url string // without a slash at the end
	// output is what the process has written: what it says at its start, and its log.
	output *logtest.Log
	cmd    *exec.Cmd
	done   chan struct{} // closed when the process has ended and was waited for
}

// startNode starts a node on a free port. Its output is shown if the test fails.
func startNode(t *testing.T, program string, env []string) *node {
	t.Helper()
	n := &node{t: t, output: new(logtest.Log), cmd: exec.Command(program, "serve"), done: make(chan struct{})}
	n.cmd.Env = append(without(os.Environ(), "ROLLCALL_"), append(env, "GOTRACEBACK=all")...)
	n.cmd.Stdout, n.cmd.Stderr = n.output, n.output
	n.cmd.SysProcAttr = sysProcAttr()
	started := make(chan error, 1)
	go func() {
		// The kernel ends the child when the thread that started it ends
		// (PR_SET_PDEATHSIG), so that thread is kept until the child is gone.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(n.done)
		err := n.cmd.Start()
		started <- err
		if err == nil {
			_ = n.cmd.Wait() // how it ended is asked by whoever wants to know
		}
	}()
	require.NoError(t, <-started)
	t.Cleanup(func() {
		n.kill()
		if t.Failed() {
			t.Logf("%s said at last:\n%s", n.url, tail(n.output.String(), 40))
		}
	})
	require.Eventually(t, func() bool {
		n.url = strings.TrimSuffix(regexp.MustCompile(`http://127\.0\.0\.1:\d+/`).FindString(n.output.String()), "/")
		return n.url != "" || n.ended()
	}, startWithin, tick)
	require.NotEmpty(t, n.url, "the node ended at its start")
	return n
}

func without(environ []string, prefix string) []string {
	var kept []string
	for _, variable := range environ {
		if !strings.HasPrefix(variable, prefix) {
			kept = append(kept, variable)
		}
	}
	return kept
}

// only is the node as the one address of a device.
func (n *node) only() []string { return []string{n.url} }

func (n *node) ended() bool {
	select {
	case <-n.done:
		return true
	default:
		return false
	}
}

// kill ends the node as a crash does.
func (n *node) kill() {
	_ = n.cmd.Process.Kill() // fails only when it has ended
	<-n.done
}

// stop ends the node as a restart does, and returns how long that took.
func (n *node) stop() time.Duration {
	n.t.Helper()
	began := time.Now()
	n.signal(syscall.SIGTERM)
	n.awaitEnd(stopWithin)
	require.Zero(n.t, n.cmd.ProcessState.ExitCode())
	return time.Since(began)
}

// stacks ends the node and returns the stacks of its goroutines.
func (n *node) stacks() []string {
	n.t.Helper()
	before := len(n.output.String())
	n.signal(syscall.SIGQUIT)
	n.awaitEnd(stopWithin)
	return strings.Split(n.output.String()[before:], "\n\n")
}

func (n *node) signal(s os.Signal) {
	n.t.Helper()
	require.NoError(n.t, n.cmd.Process.Signal(s))
}

func (n *node) awaitEnd(within time.Duration) {
	n.t.Helper()
	select {
	case <-n.done:
	case <-time.After(within):
		require.FailNow(n.t, "the node does not end")
	}
}

// ready tells whether /readyz says so.
func (n *node) ready(client *http.Client) bool {
	res, err := client.Get(n.url + "/readyz")
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// tail is the last lines of a text.
func tail(text string, lines int) string {
	all := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
