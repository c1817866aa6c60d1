// Package rate says how much may be had in a time, for each of many keys.
package rate

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Limit is how much may be had: Count at once, and as much again in each Per after that, little by little. The zero limit is none.
type Limit struct {
	Count int
	Per   time.Duration
}

// Bounds of limits, so that times in nanoseconds neither overflow nor vanish.
const (
	mostCount = 1_000_000_000
	mostPer   = 24 * time.Hour
	leastPer  = time.Millisecond
)

// None says whether everything is allowed.
func (l Limit) None() bool { return l.Count == 0 }

// String is the limit as [Limit.UnmarshalText] reads it.
func (l Limit) String() string {
	if l.None() {
		return "0"
	}
	return fmt.Sprintf("%d/%v", l.Count, l.Per)
}

// UnmarshalText reads "300/5m": 300 at once, and 300 in five minutes after that. "0" is no limit.
func (l *Limit) UnmarshalText(text []byte) error {
	if string(text) == "0" {
		*l = Limit{}
		return nil
	}
	count, per, found := strings.Cut(string(text), "/")
	n, err := strconv.Atoi(count)
	if !found || err != nil || n < 1 || n > mostCount {
		return fmt.Errorf("%q is not COUNT/TIME, such as 300/5m, nor 0 for no limit", text)
	}
	d, err := time.ParseDuration(per)
	if err != nil || d < leastPer || d > mostPer {
		return fmt.Errorf("%q has no time between %v and %v", text, leastPer, mostPer)
	}
	*l = Limit{n, d}
	return nil
}

// share is the time in which n is given back.
func (l Limit) share(n int) time.Duration {
	return time.Duration(float64(l.Per) / float64(l.Count) * float64(min(n, l.Count)))
}
