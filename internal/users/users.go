// Package users is the domain of user details: what is known about a user
// besides presence, and where it is read from.
//
// The directory (package directory) answers from two tiers of caches in front
// of a Source; sqlsource is the Source over SQL, redistier the tier that the
// nodes share.
package users

import (
	"context"
	"errors"
)

// Details is what the directory knows of a user. Values are shared between
// readers: the pointed-to fields must not be written.
type Details struct {
	// ID names the user; ids are opaque and compared byte by byte.
	ID string
	// Name, AvatarURL and Level are nil where the directory has no value.
	Name      *string
	AvatarURL *string
	// Level fits 32 bits.
	Level *int
}

// MaxBatch is the most ids that one Source.Load is given.
const MaxBatch = 500

// ErrUnavailable means that details could not be read now, as opposed to a
// user being unknown. It wraps or is joined with the cause.
var ErrUnavailable = errors.New("user details are unavailable")

// Source is where details come from: the truth behind the caches.
//
// Load reads the details of at most MaxBatch ids by one statement. Ids may
// repeat and come in any order. An id the source does not know is absent from
// the map, which is no error. With an error the map may still hold the details
// that were read; nothing is then known of the ids absent from it. An error
// that may pass, such as a timeout, wraps ErrUnavailable.
type Source interface {
	Load(ctx context.Context, ids []string) (map[string]Details, error)
}
