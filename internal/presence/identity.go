package presence

import (
	"unicode"
	"unicode/utf8"
)

// Limits of identities.
const (
	MaxUserIDBytes   = 128
	MaxDeviceIDRunes = 64
)

// CheckUserID reports whether id can be a user's: 1 to 128 bytes of printable
// UTF-8 without spaces. Ids are opaque and compared byte by byte.
func CheckUserID(id string) error {
	if id == "" || len(id) > MaxUserIDBytes {
		return Invalid("a user id has 1 to %d bytes", MaxUserIDBytes)
	}
	if !printable(id) {
		return Invalid("a user id is printable UTF-8 without spaces")
	}
	return nil
}

// CheckDeviceID reports whether id can name a device: 1 to 64 characters, none of them
// a control character.
func CheckDeviceID(id string) error {
	// The first test spares counting a hostile megabyte.
	if id == "" || len(id) > MaxDeviceIDRunes*utf8.UTFMax || utf8.RuneCountInString(id) > MaxDeviceIDRunes {
		return Invalid("a device id has 1 to %d characters", MaxDeviceIDRunes)
	}
	for _, r := range id {
		if r == utf8.RuneError || unicode.IsControl(r) {
			return Invalid("a device id is UTF-8 without control characters")
		}
	}
	return nil
}

// printable refuses U+FFFD as well: it is what decoders leave where the bytes
// were no UTF-8, so two different broken ids would become one.
func printable(s string) bool {
	for _, r := range s {
		if r == utf8.RuneError || unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}
