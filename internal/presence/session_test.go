package presence_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

func TestSessionTokenRoundTrip(t *testing.T) {
	for _, epoch := range []presence.Epoch{1, 1_767_225_600_123, presence.MaxEpoch - 1, presence.MaxEpoch} {
		token := presence.SessionToken("ann", "phone", epoch)
		got, err := presence.ParseSessionToken(token, "ann", "phone")
		require.NoError(t, err)
		require.Equal(t, epoch, got)
	}
}

func TestSessionTokenIsBound(t *testing.T) {
	token := presence.SessionToken("ann", "phone", 42)
	for name, c := range map[string]struct{ token, user, device string }{
		"another user":        {token, "bob", "phone"},
		"another device":      {token, "ann", "tablet"},
		"the border shifted":  {token, "annp", "hone"},
		"user and device":     {token, "phone", "ann"},
		"empty":               {"", "ann", "phone"},
		"truncated":           {token[:len(token)-1], "ann", "phone"},
		"one longer":          {token + "A", "ann", "phone"},
		"padded":              {token + "=", "ann", "phone"},
		"no base64":           {strings.Repeat("!", len(token)), "ann", "phone"},
		"line breaks":         {strings.Repeat("\n", len(token)), "ann", "phone"},
		"one line break":      {token[:len(token)-2] + "\nA", "ann", "phone"},
		"last is line break":  {token[:len(token)-1] + "\r", "ann", "phone"},
		"a megabyte":          {strings.Repeat("A", 1<<20), "ann", "phone"},
		"epoch zero":          {presence.SessionToken("ann", "phone", 0), "ann", "phone"},
		"epoch negative":      {presence.SessionToken("ann", "phone", -1), "ann", "phone"},
		"epoch beyond double": {presence.SessionToken("ann", "phone", presence.MaxEpoch+1), "ann", "phone"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := presence.ParseSessionToken(c.token, c.user, c.device)
			requireInvalid(t, err)
		})
	}
}

// No flipped bit goes unnoticed: neither the version's, nor the epoch's, nor the checksum's.
func TestSessionTokenNoticesEveryBit(t *testing.T) {
	token := presence.SessionToken("ann", "phone", 1_767_225_600_123)
	raw, err := base64.RawURLEncoding.DecodeString(token)
	require.NoError(t, err)
	for bit := range 8 * len(raw) {
		raw[bit/8] ^= 1 << (bit % 8)
		_, err := presence.ParseSessionToken(base64.RawURLEncoding.EncodeToString(raw), "ann", "phone")
		requireInvalid(t, err)
		raw[bit/8] ^= 1 << (bit % 8)
	}
}

// Base64 has spare bits at the end; a token is spelled with them at zero.
func TestSessionTokenHasOneSpelling(t *testing.T) {
	token := presence.SessionToken("ann", "phone", 1_767_225_600_123)
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	accepted := 0
	for _, last := range alphabet {
		if _, err := presence.ParseSessionToken(token[:len(token)-1]+string(last), "ann", "phone"); err == nil {
			accepted++
		}
	}
	require.Equal(t, 1, accepted)
}

func FuzzSessionToken(f *testing.F) {
	f.Add(presence.SessionToken("ann", "phone", 42), "ann", "phone")
	f.Add("", "", "")
	f.Add(strings.Repeat("\n", 23), "ann", "phone")
	f.Fuzz(func(t *testing.T, token, user, device string) {
		epoch, err := presence.ParseSessionToken(token, user, device)
		if err != nil {
			requireInvalid(t, err)
			return
		}
		require.Positive(t, epoch)
		require.LessOrEqual(t, epoch, presence.MaxEpoch)
		require.Equal(t, token, presence.SessionToken(user, device, epoch))
	})
}
