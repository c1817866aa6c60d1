package auth

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDevTokens(t *testing.T) {
	dev, err := New(Config{Mode: Dev}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)

	for authorization, want := range map[string]Caller{
		"Bearer dev:alice":                       {ID: "alice", Role: User},
		"bearer dev:alice":                       {ID: "alice", Role: User},
		"Bearer  dev:alice ":                     {ID: "alice", Role: User},
		"Bearer dev:alice:admin":                 {ID: "alice", Role: Admin},
		"Bearer dev:gw:service":                  {ID: "gw", Role: Service},
		"Bearer dev:a:b":                         {ID: "a:b", Role: User},
		"Bearer dev:a:b:admin":                   {ID: "a:b", Role: Admin},
		"Bearer dev:a:admin:admin":               {ID: "a:admin", Role: Admin},
		"Bearer dev:a:Admin":                     {ID: "a:Admin", Role: User},
		"Bearer dev:a:administrator":             {ID: "a:administrator", Role: User},
		"Bearer dev:admin":                       {ID: "admin", Role: User},
		"Bearer dev:日本語":                         {ID: "日本語", Role: User},
		"Bearer dev:" + strings.Repeat("a", 128): {ID: strings.Repeat("a", 128), Role: User},
	} {
		t.Run(authorization, func(t *testing.T) {
			caller, err := dev.Authenticate(t.Context(), authorization)
			require.NoError(t, err)
			require.Equal(t, want, caller)
		})
	}
}

func TestDevTokensRefused(t *testing.T) {
	dev, err := New(Config{Mode: Dev}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	for name, authorization := range refused {
		t.Run(name, func(t *testing.T) { requireRefused(t, dev, authorization) })
	}
	for _, authorization := range []string{
		"Bearer dev:", "Bearer dev::admin", "Bearer dev:a b", "Bearer dev:a\x00", "Bearer dev:\xff",
		"Bearer alice", "Bearer DEV:alice", "Bearer dev:" + strings.Repeat("a", 129),
	} {
		t.Run(authorization, func(t *testing.T) { requireRefused(t, dev, authorization) })
	}
}

func TestDevTokenIsReadAsWritten(t *testing.T) {
	for _, want := range []Caller{{"alice", User, zero}, {"alice", Admin, zero}, {"a:b", Service, zero}, {"a:admin", Admin, zero}} {
		token, err := DevToken(want.ID, want.Role)
		require.NoError(t, err)
		caller, err := devTokens{}.Authenticate(t.Context(), "Bearer "+token)
		require.NoError(t, err)
		require.Equal(t, want, caller)
	}
	_, err := DevToken("a:admin", User)
	require.Error(t, err, "it would be read as an admin's")
	_, err = DevToken("", User)
	require.Error(t, err)
}
