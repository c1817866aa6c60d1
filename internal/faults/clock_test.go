package faults

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/redistest"
)

// A Go program asks the kernel for the time without a library that could be replaced,
// and setting the machine's clock would hit everybody. So the node is built on top
// of another package time, whose Now adds what a file says. That rebuilds everything, which
// takes a minute or more: the short form only proves that this package time can still be made.
func TestANodesClockIsWrong(t *testing.T) {
	t.Parallel()
	overlay := wrongTime(t)
	if !*long {
		goBuild(t, "-overlay", overlay, "time")
		return
	}
	program := filepath.Join(t.TempDir(), "rollcall")
	goBuild(t, "-overlay", overlay, "-o", program, "rollcall")

	const n = 500
	s := newService(t, redistest.Start(t).URL(), 4*time.Second)
	clock := newWrongClock(t)
	off, right := s.startAs(program, "CLOCK_WRONG_BY="+clock.path), s.start()
	recorders := []*recorder{s.record(off.only), s.record(right.only)}
	s.settle()
	var beats atomic.Int64
	either := func() []string { return s.urls()[beats.Add(1)%2:][:1] }
	fleets := []*fleet{
		s.launch("beats", n, s.beating, off.only), s.launch("socket", n, s.connected, off.only),
		s.launch("both", n, s.beating, either),
	}
	want := history{}
	for step, wrong := range []time.Duration{30 * time.Second, 0, -30 * time.Second, 30 * time.Second, 0} {
		clock.set(wrong)
		stepped := time.Now()
		require.InDelta(t, wrong.Seconds(), s.clockOf(off).Seconds(), 2)
		recorders[0].resume()
		fleets = append(fleets, s.launch(fmt.Sprintf("new-%d", step), 10, s.beating, off.only))
		pass(t, s.ttl+expiredWithin) // whom the step has cost their lease is told
		for _, f := range fleets {
			if f.users[0] != "socket-0" {
				f.awaitBeats(stepped, s.ttl)
			}
		}
	}
	for _, f := range fleets {
		f.requireNoFailure()
		f.requireAlive()
		want.happened(f.users, cameOnline)
	}
	recorders[0].requireHistory(want)
	suite.table.add(row{
		"21", "a node's clock is 30 s ahead, steps to 30 s behind and back", fmt.Sprintf("%d users", 3*n),
		0, "no error", recorders[1].requireHistory(want),
	})
}

// clockOf is how far a node's clock is ahead of the machine's, to a second.
func (s *service) clockOf(n *node) time.Duration {
	s.t.Helper()
	res, err := s.client.Get(n.url + "/healthz")
	require.NoError(s.t, err)
	require.NoError(s.t, res.Body.Close())
	date, err := http.ParseTime(res.Header.Get("Date"))
	require.NoError(s.t, err)
	return time.Until(date)
}

// wrongClock is a clock that a node built with wrongTime goes by.
type wrongClock struct {
	t    *testing.T
	path string
}

func newWrongClock(t *testing.T) *wrongClock {
	t.Helper()
	c := &wrongClock{t, filepath.Join(t.TempDir(), "clock")}
	require.NoError(t, os.WriteFile(c.path, make([]byte, 8), 0o600))
	return c
}

// set steps the clock: from now on it is wrong by so much.
func (c *wrongClock) set(by time.Duration) {
	c.t.Helper()
	file, err := os.OpenFile(c.path, os.O_WRONLY, 0) // written in place: the node has mapped it
	require.NoError(c.t, err)
	_, err = file.Write(binary.NativeEndian.AppendUint64(nil, uint64(int64(by/time.Second))))
	require.NoError(c.t, err)
	require.NoError(c.t, file.Close())
}

// wrongTime makes an overlay (see `go help build`) with testdata/clock added to
// package time, and returns its file.
func wrongTime(t *testing.T) string {
	t.Helper()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	require.NoError(t, err)
	std := filepath.Join(strings.TrimSpace(string(root)), "src", "time")
	source, err := os.ReadFile(filepath.Join(std, "time.go"))
	require.NoError(t, err)
	const reads = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"
	require.Contains(t, string(source), reads, "this Go reads the clock in another way")
	dir := t.TempDir()
	patched := filepath.Join(dir, "time.go")
	source = []byte(strings.Replace(string(source), reads, reads+"\tsec += wrong()\n", 1))
	require.NoError(t, os.WriteFile(patched, source, 0o600))
	added, err := filepath.Abs(filepath.Join("testdata", "clock", "wrong.go"))
	require.NoError(t, err)
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(std, "time.go"): patched, filepath.Join(std, "wrong.go"): added,
	}})
	require.NoError(t, err)
	path := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(path, overlay, 0o600))
	return path
}

func goBuild(t *testing.T, args ...string) {
	t.Helper()
	out, err := exec.CommandContext(context.WithoutCancel(t.Context()), "go", append([]string{"build"}, args...)...).CombinedOutput()
	require.NoError(t, err, string(out))
}
