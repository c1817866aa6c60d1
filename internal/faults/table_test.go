package faults

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// table is what the tests measured, as docs/operations.md shows it.
type table struct {
	mu   sync.Mutex
	rows []row
}

// row is the outcome of one fault.
type row struct {
	number    string // orders the rows
	fault     string
	load      string
	recovered time.Duration
	until     string // what ended that time
	account   account
}

func (t *table) add(r row) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows = append(t.rows, r)
}

func (t *table) print(w io.Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.rows) == 0 {
		return
	}
	slices.SortFunc(t.rows, func(a, b row) int { return strings.Compare(a.number+a.fault, b.number+b.fault) })
	fmt.Fprintln(w, "\n| fault | load | time to recover | events | lost | doubled |")
	fmt.Fprintln(w, "|---|---|---|---|---|---|")
	for _, r := range t.rows {
		fmt.Fprintf(w, "| %s | %s | %.2f s, %s | %d | %d | %d |\n",
			r.fault, r.load, r.recovered.Seconds(), r.until, r.account.told, r.account.lost, r.account.doubled)
	}
	fmt.Fprintln(w)
}
