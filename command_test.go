package main

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/auth"
)

// execution runs a command line and returns what it wrote and its exit code.
func execution(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, err bytes.Buffer
	code = execute(t.Context(), args, output{&out, &err})
	return out.String(), err.String(), code
}

func TestVersion(t *testing.T) {
	stdout, _, code := execution(t, "version")
	require.Zero(t, code)
	require.Regexp(t, `^rollcall \S+ go1\.\S+\n$`, stdout)
}

func TestMisuseIsOneLine(t *testing.T) {
	for _, args := range [][]string{
		{"--ttl=60"},
		{"nothing"},
		{"token"},
		{"seed", "--users=0"},
		{"seed", "--users=-1"},
		{"--shards=3"},
		{"--http-addr=0.0.0.0:0"},
		{"--auth=jwt"},
		{"--jwt-secret=0123456789abcdef0123456789abcdef"},
		{"help", "nothing"},
		{"--redis-url=redis+sentinel://a,b"},
		{"--database-url=mysql://x"},
		{"token", "--user=a b"},
		{"token", "--user=a", "--role=root"},
		{"token", "--auth=jwt", "--user=a"},
		{"reshard", "--shards=8"},
		{"reshard", "--redis-url=redis://127.0.0.1:1"},
		{"reshard", "--redis-url=redis://127.0.0.1:1", "--shards=3"},
		{"reshard", "--redis-url=redis://127.0.0.1:1", "--shards=8"},
		{"token", "--auth=jwt", "--jwt-secret=short", "--user=a"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			stdout, stderr, code := execution(t, args...)
			require.Equal(t, 1, code)
			require.Empty(t, stdout)
			require.Regexp(t, `^rollcall: [^\n]+\n$`, stderr)
		})
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"help", "token"}, {"help", "seed"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			stdout, stderr, code := execution(t, args...)
			require.Zero(t, code)
			require.Empty(t, stderr)
			asked, _, code := execution(t, append(args[1:], "--help")...)
			require.Zero(t, code)
			require.Equal(t, asked, stdout)
			require.Contains(t, stdout, "Usage: rollcall "+strings.Join(args[1:], " "))
		})
	}
}

func TestUnknownVariablesAreReported(t *testing.T) {
	t.Setenv("ROLLCALL_SHARD", "4")
	_, stderr, code := execution(t, "version")
	require.Zero(t, code)
	require.Equal(t, "rollcall: warning: ROLLCALL_SHARD is not known; did you mean ROLLCALL_SHARDS?\n", stderr)
}

func TestTokenOfDevMode(t *testing.T) {
	t.Setenv("ROLLCALL_JWT_SECRET", strings.Repeat("s", auth.MinSecretBytes)) // it is ROLLCALL_AUTH that decides
	for _, role := range []string{"ADMIN", "admin", "Admin"} {
		stdout, stderr, code := execution(t, "token", "--user=alice", "--role="+role)
		require.Zero(t, code, stderr)
		require.Equal(t, "dev:alice:admin\n", stdout)
	}
}

func TestTokenIsTakenByAServerWithTheSameSecret(t *testing.T) {
	secret := strings.Repeat("s", auth.MinSecretBytes)
	t.Setenv("ROLLCALL_AUTH", "jwt")
	t.Setenv("ROLLCALL_JWT_SECRET", secret)
	stdout, stderr, code := execution(t, "token", "--user=gw", "--role=service", "--expires=5m")
	require.Zero(t, code, stderr)

	server, err := auth.New(auth.Config{Mode: auth.JWT, Secret: []byte(secret)}, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	caller, err := server.Authenticate(t.Context(), "Bearer "+strings.TrimSpace(stdout))
	require.NoError(t, err)
	require.Equal(t, "gw", caller.ID)
	require.Equal(t, auth.Service, caller.Role)
	require.WithinDuration(t, time.Now().Add(5*time.Minute), caller.ExpiresAt, time.Minute)
}

func TestSeedIsSafeToRunTwice(t *testing.T) {
	database := "--database-url=sqlite:" + filepath.Join(t.TempDir(), "new", "users.db")
	stdout, stderr, code := execution(t, "seed", "--users=2500", database)
	require.Zero(t, code, stderr)
	require.Equal(t, "2500 demo users: 2300 added, 200 were there already\n", stdout)
	require.Contains(t, stderr, "2500 of 2500 users\n", "plain lines where there is no terminal")
	require.NotContains(t, stderr, "\r")

	stdout, _, code = execution(t, "seed", "--users=2500", database)
	require.Zero(t, code)
	require.Equal(t, "2500 demo users: 0 added, 2500 were there already\n", stdout)
}
