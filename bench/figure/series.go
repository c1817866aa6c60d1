// Package figure turns what the repetitions of a benchmark measured into what is
// reported of it.
package figure

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Series is one figure, as each repetition measured it.
type Series []float64

// Median is the middle value, of an even number the mean of the middle two; 0 of none.
func (s Series) Median() float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// Over is the ratio of each repetition to that of another series, of which the
// repetition was measured next to it: a machine that is busy otherwise slows both.
func (s Series) Over(other Series) Series {
	var ratios Series
	for i := range min(len(s), len(other)) {
		if other[i] != 0 { // what was not measured is zero
			ratios = append(ratios, s[i]/other[i])
		}
	}
	return ratios
}

// Text is the median and, of more than one value, the range behind it.
func (s Series) Text() string {
	switch len(s) {
	case 0:
		return ""
	case 1:
		return number(s[0])
	}
	return fmt.Sprintf("%s (%s to %s)", number(s.Median()), number(slices.Min(s)), number(slices.Max(s)))
}

// number has about three digits, and commas.
func number(v float64) string {
	switch size := math.Abs(v); {
	case size >= 1000:
		scale := math.Pow(10, math.Floor(math.Log10(size))-2)
		return thousands(int(math.Round(v/scale) * scale))
	case size >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case size >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

func thousands(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0 && digits[at-1] != '-'; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return strings.TrimSpace(digits)
}
