package presence_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// badText are texts that can name neither a user nor a device.
func badText() map[string]string {
	return map[string]string{
		"empty":           "",
		"tab":             "a\tb",
		"line break":      "a\nb",
		"NUL":             "a\x00b",
		"escape":          "\x1b[31m",
		"delete":          "a\x7f",
		"C1 control":      "a\u0085b",
		"replacement":     "a\ufffdb",
		"invalid UTF-8":   "a\xffb",
		"truncated UTF-8": "a\xe2\x82",
		"overlong UTF-8":  "a\xc0\xaf",
		"surrogate":       "a\xed\xa0\x80",
		"beyond U+10FFFF": "a\xf4\x90\x80\x80",
	}
}

// deviceText are texts that can name a device, but no user.
func deviceText() map[string]string {
	return map[string]string{
		"space":                "Alice's iPhone",
		"trailing space":       "ann ",
		"no-break space":       "a\u00a0b",
		"ideographic space":    "a\u3000b",
		"zero-width joiner":    "a\u200db",
		"right-to-left mark":   "a\u200fb",
		"byte order mark":      "\ufeffann",
		"line separator":       "a\u2028b",
		"private use":          "a\ue000",
		"unassigned codepoint": "a\u0378",
	}
}

func TestCheckUserID(t *testing.T) {
	for _, texts := range []map[string]string{badText(), deviceText()} {
		for name, id := range texts {
			t.Run(name, func(t *testing.T) { requireInvalid(t, presence.CheckUserID(id)) })
		}
	}
	requireInvalid(t, presence.CheckUserID(strings.Repeat("x", 129)))
	requireInvalid(t, presence.CheckUserID(strings.Repeat("é", 64)+"x"))
	for _, id := range []string{
		"a", "0", "42", "-1", "ann@example.org", "urn:user:42", "{ann}", "José", "日本語", "\U0001F600", "e\u0301",
		strings.Repeat("x", 128), strings.Repeat("é", 64),
	} {
		require.NoError(t, presence.CheckUserID(id), id)
	}
}

func TestCheckDeviceID(t *testing.T) {
	for name, id := range badText() {
		t.Run(name, func(t *testing.T) { requireInvalid(t, presence.CheckDeviceID(id)) })
	}
	requireInvalid(t, presence.CheckDeviceID(strings.Repeat("x", 65)))
	requireInvalid(t, presence.CheckDeviceID(strings.Repeat("\U0001F600", 65)))
	requireInvalid(t, presence.CheckDeviceID(strings.Repeat("x", 1<<20)))
	for _, id := range []string{"p", strings.Repeat("x", 64), strings.Repeat("\U0001F600", 64)} {
		require.NoError(t, presence.CheckDeviceID(id))
	}
	for name, id := range deviceText() {
		require.NoError(t, presence.CheckDeviceID(id), name)
	}
}

func TestCheckUserIDs(t *testing.T) {
	ids := slices.Repeat([]string{"same"}, presence.MaxIDs)
	require.NoError(t, presence.CheckUserIDs(nil))
	require.NoError(t, presence.CheckUserIDs(ids))
	requireInvalid(t, presence.CheckUserIDs(append(ids, "one-more")))
	requireInvalid(t, presence.CheckUserIDs([]string{"ann", ""}))
}

func FuzzUserID(f *testing.F) {
	for _, id := range []string{"ann", "a b", "\xff", ""} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		if err := presence.CheckUserID(id); err != nil {
			requireInvalid(t, err)
			return
		}
		require.True(t, utf8.ValidString(id))
		require.LessOrEqual(t, len(id), presence.MaxUserIDBytes)
		for _, r := range id {
			require.True(t, unicode.IsGraphic(r))
			require.False(t, unicode.IsSpace(r) || unicode.IsControl(r))
		}
	})
}
