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
	"rollcall/internal/server/address"
	"rollcall/internal/server/origin"
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
	if _, err := h.Origins(); err != nil {
		return err
	}
	if _, err := h.Proxies(); err != nil {
		return err
	}
	if (h.TLSCertFile == "") != (h.TLSKeyFile == "") {
		return errors.New("ROLLCALL_TLS_CERT_FILE and ROLLCALL_TLS_KEY_FILE go together; only one is set")
	}
	if h.ShareFor < 0 {
		return errors.New("ROLLCALL_SHARE_FOR must not be negative")
	}
	for _, pictures := range h.AvatarOrigins {
		if err := origin.Check(pictures); err != nil {
			return fmt.Errorf("ROLLCALL_AVATAR_ORIGINS: %w", err)
		}
	}
	return nil
}

// Origins are the sites whose pages may use the API.
func (h HTTP) Origins() (origin.List, error) {
	origins, err := origin.Parse(h.AllowedOrigins)
	if err != nil {
		return origins, fmt.Errorf("ROLLCALL_ALLOWED_ORIGINS: %w", err)
	}
	return origins, nil
}

// Proxies are those that are believed.
func (h HTTP) Proxies() (address.Proxies, error) {
	proxies, err := address.Parse(h.TrustedProxies)
	if err != nil {
		return nil, fmt.Errorf("ROLLCALL_TRUSTED_PROXIES: %w", err)
	}
	return proxies, nil
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
