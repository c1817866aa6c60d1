package redistier

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"rollcall/internal/users"
	"rollcall/internal/users/directory"
)

func ptr[T any](v T) *T { return &v }

func TestEncodingKeepsEveryField(t *testing.T) {
	t.Parallel()
	for _, u := range []users.Details{
		{ID: "u"},
		{ID: "u", Name: ptr("")},
		{ID: "u", Name: ptr("Ünal"), Level: ptr(-1)},
		{ID: "u", AvatarURL: ptr("/a.png")},
		{ID: "u", AvatarURL: ptr("")},
		{ID: "u", Name: ptr("n"), AvatarURL: ptr("/a"), Level: ptr(math.MaxInt32)},
		{ID: "u", Level: ptr(math.MinInt32)},
	} {
		got, kind := decode("u", encode(directory.Entry{Details: u, Known: true}))
		require.Equal(t, knownUser, kind)
		require.Equal(t, u, got)
	}
	_, kind := decode("u", encode(directory.Entry{}))
	require.Equal(t, unknownUser, kind)
}

func TestDecodeRefusesWhatItDoesNotUnderstand(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]string{
		"empty":          "",
		"other version":  "2\x00",
		"unknown flag":   "1\x08",
		"name cut short": "1\x02\x05ab",
		"huge name":      "1\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
		"no level":       "1\x01",
		"wide level":     "1\x01\xff\xff\xff\xff\xff\xff\x01",
		"trailing bytes": "1\x00x",
		"long mark":      "!!",
	} {
		_, kind := decode("u", []byte(b))
		require.Equal(t, unreadableEntry, kind, name)
	}
}

// FuzzDecode looks for bytes that panic or that don't mean one thing.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("1\x07\x54\x03AnnURL"))
	f.Add([]byte("-"))
	f.Add([]byte("!"))
	f.Fuzz(func(t *testing.T, b []byte) {
		u, kind := decode("u", b)
		if kind == knownUser {
			again, kind := decode("u", encode(directory.Entry{Details: u, Known: true}))
			require.Equal(t, knownUser, kind)
			require.Equal(t, u, again)
		}
	})
}
