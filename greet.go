package main

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"

	"rollcall/internal/auth"
	"rollcall/internal/config"
	"rollcall/internal/redisconn"
)

// greet prints where to click and what the server works with.
func greet(w io.Writer, cfg config.Config, addr net.Addr) {
	page := pageURL(cfg.HTTP, addr)
	lines := [][2]string{
		{"GraphiQL", page},
		{"Console", page + "admin"},
		{"API", page + "graphql (POST, WebSocket, SSE)"},
		{"Presence", presenceIn(cfg.Store)},
		{"Users", usersIn(cfg.Users)},
		{"Callers", callers(cfg.Auth)},
	}
	var text strings.Builder
	fmt.Fprintf(&text, "Rollcall %s\n\n", version())
	for _, line := range lines {
		fmt.Fprintf(&text, "  %-10s%s\n", line[0], line[1])
	}
	text.WriteString("\nCtrl-C ends it.\n")
	_, _ = io.WriteString(w, text.String()) // a closed stdout is no reason not to serve
}

// pageURL is where a browser on this machine finds the server.
func pageURL(cfg config.HTTP, addr net.Addr) string {
	host, port := "localhost", ""
	if tcp, ok := addr.(*net.TCPAddr); ok {
		port = strconv.Itoa(tcp.Port)
		if !tcp.IP.IsUnspecified() {
			host = tcp.IP.String()
		}
	}
	scheme := "http"
	if cfg.TLS() {
		scheme = "https"
	}
	return scheme + "://" + net.JoinHostPort(host, port) + "/"
}

func presenceIn(cfg config.Store) string {
	if cfg.RedisURL == "" {
		return "in memory, until the server ends"
	}
	redis, _ := redisconn.Parse(cfg.RedisURL) // it has been opened, so it parses
	return fmt.Sprintf("in %s, keys %s, %d shards", redis, cfg.KeyPrefix, cfg.Shards)
}

func usersIn(cfg config.Users) string {
	if path, embedded := cfg.EmbeddedPath(); embedded {
		return "in " + path + ", with demo users: alice, bob, carol, user-1, …"
	}
	text := "in " + withoutPassword(cfg.DatabaseURL)
	if cfg.Query != "" {
		return text + ", by your query"
	}
	return text + "; rollcall seed adds demo users"
}

func callers(cfg config.Auth) string {
	if cfg.Mode == auth.Dev {
		return "anybody on this machine: Authorization: Bearer dev:alice (or dev:alice:admin)"
	}
	if cfg.JWTSecret == "" {
		return "with a JSON Web Token of your issuer"
	}
	return "with a JSON Web Token; rollcall token makes one"
}

// withoutPassword is a URL as it may be shown.
func withoutPassword(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "(not shown)"
	}
	u.RawQuery = "" // may hold a password as well
	return u.Redacted()
}
