package faults

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// breaking is how a wire breaks at one of the calls that it carries.
type breaking struct {
	name string
	runs bool // the call has reached the server, and only its answer is lost
	off  bool // nothing is carried any more, until it is mended
	// elsewhere: whoever asked for the operation turns to another node then.
	elsewhere bool
}

// wire is a proxy to one Redis server that carries one call at a time on each connection,
// and counts them.
type wire struct {
	*proxy

	mu     sync.Mutex
	breaks breaking
	at     int // the call at which it breaks, from 1; 0: at none
	calls  int
}

func startWire(t *testing.T, target string) *wire {
	t.Helper()
	w := &wire{proxy: &proxy{target: target}}
	w.proxy.carry = w.carry
	w.start(t)
	return w
}

// breakAt lets it break at the n-th call from now on.
func (w *wire) breakAt(n int, how breaking) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.breaks, w.at, w.calls = how, n, 0
}

// mend ends what is broken, and tells whether it has come to that.
func (w *wire) mend() (broke bool) {
	w.heal()
	w.mu.Lock()
	defer w.mu.Unlock()
	broke = w.at > 0 && w.calls >= w.at
	w.at = 0
	return broke
}

// count counts a call, and tells whether the wire breaks at it, and how.
func (w *wire) count(call []byte) (how breaking, breaks bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if greeting(call) {
		return how, false
	}
	w.calls++
	return w.breaks, w.calls == w.at
}

// greeting tells whether a call belongs to the beginning of a connection.
func greeting(call []byte) bool {
	parts := bytes.SplitN(call, []byte("\r\n"), 4)
	name := strings.ToUpper(string(parts[min(2, len(parts)-1)]))
	return name == "HELLO" || name == "CLIENT"
}

func (w *wire) carry(near, far net.Conn) {
	calls, answers := bufio.NewReader(near), bufio.NewReader(far)
	for {
		var call, answer bytes.Buffer
		if copyValue(&call, calls) != nil {
			return
		}
		how, breaks := w.count(call.Bytes())
		if !breaks || how.runs {
			if _, err := far.Write(call.Bytes()); err != nil || copyValue(&answer, answers) != nil {
				return
			}
		}
		if breaks {
			if how.off {
				w.sever()
			}
			reset(near)
			return
		}
		if _, err := near.Write(answer.Bytes()); err != nil {
			return
		}
	}
}

// copyValue copies one value of Redis' protocol, whatever it holds.
func copyValue(to *bytes.Buffer, from *bufio.Reader) error {
	line, err := from.ReadBytes('\n')
	if err != nil {
		return err
	}
	to.Write(line)
	n, _ := strconv.ParseInt(strings.TrimSpace(string(line[1:])), 10, 64)
	switch line[0] {
	case '$', '=', '!':
		if n >= 0 {
			_, err = io.CopyN(to, from, n+2)
		}
		return err
	case '%':
		n *= 2
	case '*', '~', '>':
	default:
		return nil
	}
	for ; n > 0 && err == nil; n-- {
		err = copyValue(to, from)
	}
	return err
}
