package faults

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/redis/go-redis/v9/logging"
	"go.uber.org/goleak"
)

var long = flag.Bool("long", false, "take the sizes and durations that the promises name, instead of small ones")

// suite is what the tests of this binary share: the program that they run, and the
// table that they fill. It is package state because the testing package has
// no other place that all tests see.
var suite struct {
	program string
	table   table
}

func TestMain(m *testing.M) {
	logging.Disable() // clients of Redis that lose it are what is tested
	flag.Parse()
	// Small tests do little but wait, and can wait together. What is measured
	// in a long run is measured alone.
	if parallel := flag.Lookup("test.parallel"); parallel.Value.String() == parallel.DefValue {
		if err := parallel.Value.Set(sized("5", "1")); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(prepared{m})
}

// prepared runs the tests with a program to test.
type prepared struct{ tests *testing.M }

func (p prepared) Run() int {
	dir, err := os.MkdirTemp("", "faults-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	suite.program = filepath.Join(dir, "rollcall")
	build := exec.CommandContext(context.Background(), "go", "build", "-o", suite.program, "rollcall")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build rollcall: %v\n%s", err, out)
		return 1
	}
	code := p.tests.Run()
	if *long || testing.Verbose() {
		suite.table.print(os.Stdout)
	}
	return code
}

// sized is the size of a test: the first one, or in a long run the second.
func sized[T any](short, full T) T {
	if *long {
		return full
	}
	return short
}
