package redistier

import (
	"encoding/binary"
	"math"

	"rollcall/internal/users"
	"rollcall/internal/users/directory"
)

// A stored value begins with a tag byte. A known user's goes on with a byte of
// flags, then the fields that the flags name: the level as a signed varint, the
// name as its length (varint) and bytes, and the avatar URL to the end. The id
// is in the key.
const (
	tagKnown   = '1' // also the version: another layout takes another tag
	tagUnknown = '-'
	tagStale   = '!'

	hasLevel     = 1 << 0
	hasName      = 1 << 1
	hasAvatarURL = 1 << 2
	allFlags     = hasLevel | hasName | hasAvatarURL
)

// kind is what a stored value turned out to be.
type kind int

const (
	unreadableEntry kind = iota
	knownUser
	unknownUser
	staleMark
)

func encode(e directory.Entry) []byte {
	if !e.Known {
		return []byte{tagUnknown}
	}
	u := e.Details
	b := []byte{tagKnown, 0}
	if u.Level != nil {
		b[1] |= hasLevel
		b = binary.AppendVarint(b, int64(*u.Level))
	}
	if u.Name != nil {
		b[1] |= hasName
		b = binary.AppendUvarint(b, uint64(len(*u.Name)))
		b = append(b, *u.Name...)
	}
	if u.AvatarURL != nil {
		b[1] |= hasAvatarURL
		b = append(b, *u.AvatarURL...)
	}
	return b
}

// decode reads what is stored for id. What it does not fully understand is
// unreadable, not an error: a newer version may have written it.
func decode(id string, b []byte) (users.Details, kind) {
	if len(b) == 1 && b[0] == tagUnknown {
		return users.Details{}, unknownUser
	}
	if len(b) == 1 && b[0] == tagStale {
		return users.Details{}, staleMark
	}
	if len(b) < 2 || b[0] != tagKnown || b[1]&^allFlags != 0 {
		return users.Details{}, unreadableEntry
	}
	u, flags, b := users.Details{ID: id}, b[1], b[2:]
	if flags&hasLevel != 0 {
		level, n := binary.Varint(b)
		if n <= 0 || level < math.MinInt32 || level > math.MaxInt32 {
			return users.Details{}, unreadableEntry
		}
		u.Level, b = new(int), b[n:]
		*u.Level = int(level)
	}
	if flags&hasName != 0 {
		length, n := binary.Uvarint(b)
		if n <= 0 || length > uint64(len(b)-n) {
			return users.Details{}, unreadableEntry
		}
		name := string(b[n : n+int(length)])
		u.Name, b = &name, b[n+int(length):]
	}
	if flags&hasAvatarURL != 0 {
		url := string(b)
		u.AvatarURL, b = &url, nil
	}
	if len(b) != 0 {
		return users.Details{}, unreadableEntry
	}
	return u, knownUser
}
