package sqlsource

import (
	"errors"
	"fmt"
)

// ErrForeign means that a table is not Rollcall's to change.
var ErrForeign = errors.New("the users table is not Rollcall's own")

// QueryError means that the users query can't serve as written; trying again
// does not help.
type QueryError struct {
	// Reason says what is wrong and what to change.
	Reason string
	// Err is the database's own complaint, if there is one.
	Err error
}

func (e *QueryError) Error() string {
	if e.Err == nil {
		return "users query: " + e.Reason
	}
	return fmt.Sprintf("users query: %s: %v", e.Reason, e.Err)
}

func (e *QueryError) Unwrap() error { return e.Err }

// ValueError means that a row holds something that is no user detail. The
// user's details can't be served until the row or the query is mended.
type ValueError struct {
	// ID is the user, empty if the id itself is unreadable.
	ID string
	// Column is the result column, as Rollcall names it.
	Column string
	// Problem describes the value by type and range, not by content, which
	// may be private.
	Problem string
}

func (e *ValueError) Error() string {
	return fmt.Sprintf("users query: user %q: column %s %s", e.ID, e.Column, e.Problem)
}
