package redisstore

import (
	"fmt"
	"strconv"
)

// errReply says that a script's answer has not the shape its header promises.
func errReply(want string, got any) error {
	return fmt.Errorf("script answered %T, not %s", got, want)
}

// decodeNumbers reads an array of at least n integers.
func decodeNumbers(answer any, n int) ([]int64, error) {
	list, ok := answer.([]any)
	if !ok || len(list) < n {
		return nil, errReply(strconv.Itoa(n)+" integers", answer)
	}
	numbers := make([]int64, len(list))
	for i, v := range list {
		if numbers[i], ok = v.(int64); !ok {
			return nil, errReply("an integer", v)
		}
	}
	return numbers, nil
}

// reader reads an array of mixed values in turn, and remembers the first that
// was not of the type asked for.
type reader struct {
	rest []any
	err  error
}

func newReader(answer any) *reader {
	list, ok := answer.([]any)
	if !ok {
		return &reader{err: errReply("an array", answer)}
	}
	return &reader{rest: list}
}

func next[T any](r *reader, want string) (v T) {
	if r.err != nil {
		return v
	}
	if len(r.rest) == 0 {
		r.err = errReply(want, nil)
		return v
	}
	v, ok := r.rest[0].(T)
	if !ok {
		r.err = errReply(want, r.rest[0])
	}
	r.rest = r.rest[1:]
	return v
}

func (r *reader) number() int64 { return next[int64](r, "an integer") }
func (r *reader) text() string  { return next[string](r, "a string") }
func (r *reader) list() []any   { return next[[]any](r, "an array") }

// more tells whether values are left.
func (r *reader) more() bool { return r.err == nil && len(r.rest) > 0 }
