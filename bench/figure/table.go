package figure

import (
	"fmt"
	"slices"
	"strings"
)

// Table is what a run measured.
type Table struct {
	// Header says where, when and with what it was measured, a line each.
	Header []string
	// Judged says that the cases had the sizes that the targets are for.
	Judged bool

	rows []row
}

// row is one figure of a case, beside what it is compared with.
type row struct {
	number                               int
	measure, ours, theirs, ratio, target string
	verdict                              string
}

// Target is the bound that a figure has to keep.
type Target struct {
	Bound float64
	// AtMost says that figures are to be below the bound, not above.
	AtMost bool
}

// AtLeast is the target of figures that are to be high.
func AtLeast(bound float64) Target { return Target{Bound: bound} }

// AtMost is the target of figures that are to be low.
func AtMost(bound float64) Target { return Target{Bound: bound, AtMost: true} }

// Met says whether a figure keeps the bound.
func (t Target) Met(v float64) bool {
	if t.AtMost {
		return v <= t.Bound
	}
	return v >= t.Bound
}

func (t Target) String() string {
	if t.AtMost {
		return "≤ " + trimmed(t.Bound)
	}
	return "≥ " + trimmed(t.Bound)
}

// trimmed is a bound as people write it.
func trimmed(v float64) string { return fmt.Sprintf("%g", v) }

// Ratio adds ours against theirs, repetition by repetition. target is for the
// median of the ratios; nil if there is none.
func (t *Table) Ratio(number int, measure string, ours, theirs Series, against string, target *Target) {
	ratio := ours.Over(theirs)
	t.add(row{
		number: number, measure: measure, ours: ours.Text(), theirs: against + ": " + theirs.Text(),
		ratio: ratio.Text(),
	}, ratio, target)
}

// Figure adds a figure that is compared with nothing.
func (t *Table) Figure(number int, measure string, ours Series, target *Target) {
	t.add(row{number: number, measure: measure, ours: ours.Text()}, ours, target)
}

// Note adds what is no figure.
func (t *Table) Note(number int, measure, text string) {
	t.add(row{number: number, measure: measure, ours: text}, nil, nil)
}

func (t *Table) add(r row, judged Series, target *Target) {
	if target != nil {
		r.target = target.String()
		switch {
		case !t.Judged, len(judged) == 0:
		case target.Met(judged.Median()):
			r.verdict = "met"
		default:
			r.verdict = "missed"
		}
	}
	t.rows = append(t.rows, r)
}

// String is the table in Markdown, in the order of the cases' numbers.
func (t *Table) String() string {
	var b strings.Builder
	for _, line := range t.Header {
		fmt.Fprintln(&b, line)
	}
	b.WriteString("\n| # | measure | Rollcall | against | ratio | target | |\n|---|---|---|---|---|---|---|\n")
	rows := slices.Clone(t.rows)
	slices.SortStableFunc(rows, func(a, b row) int { return a.number - b.number })
	for _, r := range rows {
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %s | %s | %s |\n",
			r.number, r.measure, r.ours, r.theirs, r.ratio, r.target, r.verdict)
	}
	return b.String()
}
