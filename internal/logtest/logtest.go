// Package logtest collects what is logged, for tests.
package logtest

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
)

// Log is what was logged, as text. It may be read while it is being written.
type Log struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// New is a logger of everything from level on, and what it has logged.
func New(level slog.Level) (*slog.Logger, *Log) {
	l := new(Log)
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: level})), l
}

// Write implements [io.Writer].
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

// String is all lines.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// Count is how many lines of this level there are.
func (l *Log) Count(level slog.Level) int {
	return strings.Count(l.String(), "level="+level.String()+" ")
}
