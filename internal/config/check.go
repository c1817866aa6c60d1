package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	"rollcall/internal/auth"
	"rollcall/internal/presence"
	"rollcall/internal/redisconn"
)

// keyPrefix leaves out braces: the prefix is put inside a hash tag, which they
// would end.
var keyPrefix = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

// Check reports the first thing that keeps a server from starting, in words
// that name what to set.
func (c Config) Check() error {
	for _, check := range []func() error{c.HTTP.check, c.Store.check, c.Users.Check, c.checkAuth, c.Limits.check} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (h HTTP) check() error {
	_, port, err := net.SplitHostPort(h.Addr)
	if err != nil {
		return fmt.Errorf("ROLLCALL_HTTP_ADDR %q is not HOST:PORT", h.Addr)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("ROLLCALL_HTTP_ADDR %q has no port from 0 to 65535", h.Addr)
	}
	if h.ShareFor < 0 {
		return errors.New("ROLLCALL_SHARE_FOR must not be negative")
	}
	return nil
}

// CheckListener refuses dev tokens on an address that others can reach, whatever name
// it was given by.
func (c Config) CheckListener(addr net.Addr) error {
	if tcp, ok := addr.(*net.TCPAddr); c.Auth.Mode == auth.Dev && (!ok || !tcp.IP.IsLoopback()) {
		return fmt.Errorf("ROLLCALL_AUTH=dev takes anybody's word, so it needs a loopback ROLLCALL_HTTP_ADDR, not %s", addr)
	}
	return nil
}

// loopback reports whether only this machine can reach the listener, as far as its
// name tells.
func (h HTTP) loopback() bool {
	host, _, err := net.SplitHostPort(h.Addr)
	if err != nil {
		return false
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// leastEventLog is what a node may fall behind by within one window of its feed without
// losing its place.
const leastEventLog = 100

func (s Store) check() error {
	if err := s.Redis.Check(); err != nil {
		return err
	}
	if err := presence.CheckShards(s.Shards); err != nil {
		return fmt.Errorf("ROLLCALL_SHARDS: %w", err)
	}
	if s.EventLog < leastEventLog {
		return fmt.Errorf("ROLLCALL_EVENT_LOG is %d; it must be at least %d", s.EventLog, leastEventLog)
	}
	if err := s.Rules().Validate(); err != nil {
		return fmt.Errorf("ROLLCALL_TTL, ROLLCALL_BACKGROUND_TTL and ROLLCALL_AWAY_AFTER: %w", err)
	}
	return nil
}

// Check reports a Redis that can't be used; none at all is right.
func (r Redis) Check() error {
	if r.RedisURL != "" {
		if _, err := redisconn.Parse(r.RedisURL); err != nil {
			return fmt.Errorf("ROLLCALL_REDIS_URL: %w", err)
		}
	}
	if !keyPrefix.MatchString(r.KeyPrefix) {
		return fmt.Errorf("ROLLCALL_KEY_PREFIX %q is not 1 to 64 of A-Z a-z 0-9 _ . -", r.KeyPrefix)
	}
	return nil
}

// Check reports a database that can't be opened.
func (u Users) Check() error {
	scheme, rest, found := strings.Cut(u.DatabaseURL, ":")
	if found && rest != "" {
		switch scheme {
		case "sqlite", "postgres", "postgresql":
			return nil
		}
	}
	return errors.New("ROLLCALL_DATABASE_URL must be sqlite:PATH or postgres://…")
}

func (c Config) checkAuth() error {
	if c.Auth.JWKSURL != "" {
		return errors.New("ROLLCALL_JWKS_URL is not supported yet; set ROLLCALL_JWT_SECRET")
	}
	switch c.Auth.Mode {
	case auth.Dev:
		if c.Auth.JWTSecret != "" {
			return errors.New("ROLLCALL_JWT_SECRET is set but not used, since ROLLCALL_AUTH is dev: " +
				"set ROLLCALL_AUTH=jwt, or unset the secret")
		}
		if !c.HTTP.loopback() {
			return fmt.Errorf("ROLLCALL_AUTH=dev lets everybody be anybody, so it must listen on loopback, not on %q; "+
				"set ROLLCALL_AUTH=jwt, or ROLLCALL_HTTP_ADDR to 127.0.0.1:PORT", c.HTTP.Addr)
		}
	case auth.JWT:
		if n := len(c.Auth.JWTSecret); n < auth.MinSecretBytes {
			return fmt.Errorf("ROLLCALL_AUTH=jwt needs a ROLLCALL_JWT_SECRET of at least %d bytes; it has %d", auth.MinSecretBytes, n)
		}
	}
	if err := c.Auth.Tokens().Check(); err != nil {
		return fmt.Errorf("ROLLCALL_AUTH: %w", err)
	}
	return nil
}
