package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"rollcall/bench/figure"
	"rollcall/bench/suite"
)

// TestMain lets the test be the servers that it starts, as the program is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "serve-") {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestEachBenchmarkOnce runs all benchmarks, small: their answers are right, and each
// has a row. How fast they are depends on the machine.
func TestEachBenchmarkOnce(t *testing.T) {
	r := &suite.Run{Sizes: suite.Quick(), Table: &figure.Table{}, Progress: progress(t)}
	require.NoError(t, measure(t.Context(), r, nil))
	for _, number := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"} {
		require.Contains(t, r.Table.String(), "\n| "+number+" | ")
	}
}

func progress(t *testing.T) io.Writer {
	t.Helper()
	if testing.Verbose() {
		return t.Output()
	}
	return new(bytes.Buffer)
}
