package presence_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// A token or cursor has one spelling: base64 decoders skip line breaks.
func TestLineBreaksAreNoPartOfACursor(t *testing.T) {
	cursor := presence.EncodeCursor(presence.LastActiveDesc, presence.Filter{}, presence.Mark{UserID: "ann", LastActiveAt: 1})
	position := presence.Position{{Ms: 1, Seq: 2}}.Cursor()
	for _, with := range []func(string) string{
		func(s string) string { return s + "\n" },
		func(s string) string { return "\r" + s },
		func(s string) string { return s[:4] + "\r\n" + s[4:] },
	} {
		_, err := presence.DecodeCursor(with(cursor), presence.LastActiveDesc, presence.Filter{})
		requireInvalid(t, err)
		_, err = presence.ParsePosition(with(position))
		requireInvalid(t, err)
	}
	_, err := presence.DecodeCursor(cursor, presence.LastActiveDesc, presence.Filter{})
	require.NoError(t, err)
	_, err = presence.ParsePosition(position)
	require.NoError(t, err)
}
