package main

import (
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"rollcall/internal/auth"
	"rollcall/internal/config"
)

func TestGreetingSaysWhatTheServerWorksWith(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*config.Config)
		says   []string
	}{
		"the defaults": {func(*config.Config) {}, []string{
			"http://127.0.0.1:8080/graphql", "http://127.0.0.1:8080/admin", "in memory", "in data/rollcall.db, with demo users", "Bearer dev:alice",
		}},
		"Redis": {func(c *config.Config) { c.Store.RedisURL = "redis://u:secret@cache:6379" }, []string{
			"redis://cache:6379", "16 shards",
		}},
		"a database of its own": {func(c *config.Config) { c.Users.DatabaseURL = "postgres://u:secret@db/app?password=secret" }, []string{
			"in postgres://u:xxxxx@db/app; rollcall seed adds demo users",
		}},
		"somebody's table": {func(c *config.Config) { c.Users.DatabaseURL, c.Users.Query = "postgres://db/app", "SELECT" }, []string{
			"in postgres://db/app, by your query\n",
		}},
		"JWT": {func(c *config.Config) { c.Auth.Mode, c.Auth.JWTSecret = auth.JWT, "secret" }, []string{
			"rollcall token makes one",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, err := config.Default()
			require.NoError(t, err)
			test.change(&cfg)
			var text strings.Builder
			greet(&text, cfg, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080})
			for _, says := range test.says {
				require.Contains(t, text.String(), says)
			}
			require.NotContains(t, text.String(), "secret")
		})
	}
}
