package presence

import (
	"errors"
	"fmt"
	"time"
)

// The domain's errors. Anything else that a store returns is the context's, or a defect.
var (
	// ErrSessionReplaced: a newer sign-in of the user has begun another session.
	ErrSessionReplaced = errors.New("the session was replaced by a newer sign-in")
	// ErrSessionEnded: the session was signed out or disconnected.
	ErrSessionEnded = errors.New("the session has ended")
	// ErrEpochAhead: the session's epoch can't have come from this store.
	ErrEpochAhead = &InvalidError{"the session token is from the future"}
	// ErrTrimmed: the event log no longer holds the position asked for, so
	// events after it may be lost.
	ErrTrimmed = errors.New("the event log no longer reaches back to this position")
)

// InvalidError is bad input; the text is for the client.
type InvalidError struct{ Message string }

func (e *InvalidError) Error() string { return e.Message }

// Invalid makes an [InvalidError].
func Invalid(format string, args ...any) error {
	return &InvalidError{fmt.Sprintf(format, args...)}
}

// RateLimitedError says that a caller asks for too much at a time; the text is
// for the client. Nothing was done.
type RateLimitedError struct {
	Message string
	// RetryAfter is when the caller may try again.
	RetryAfter time.Duration
}

func (e *RateLimitedError) Error() string { return e.Message }

// UnavailableError says that the store can't be reached at the moment. What was
// asked for may or may not have been done; every step is safe to repeat.
type UnavailableError struct {
	// RetryAfter is a fair time to wait before the next attempt.
	RetryAfter time.Duration
	// Part is the part of the store that can't be reached, such as "shard 3"; empty if
	// that is all that is known.
	Part  string
	Cause error
}

func (e *UnavailableError) Error() string { return e.Public() + ": " + e.Cause.Error() }

// Public is what a client may know: not where the store is.
func (e *UnavailableError) Public() string {
	if e.Part == "" {
		return "the presence store is unavailable"
	}
	return "the presence store is unavailable: " + e.Part + " can't be reached"
}

func (e *UnavailableError) Unwrap() error { return e.Cause }
