package redistest

import (
	"crypto/rand"
	"net/url"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// Guard is what servers demand of their clients: TLS, a user with a password, or
// both. The zero Guard demands nothing; Start, StartCluster, StartSentinel and
// StartRing are its.
type Guard struct {
	TLS   *TLS  // nil: no TLS
	Login Login // of the one user that servers know, who may do all; empty: anybody
	// Sentinels is the login that Sentinels demand.
	Sentinels Login
}

// Login is a user and a password; both or none are empty.
type Login struct{ User, Password string }

// NewGuard demands TLS, and of servers and Sentinels a user each. The passwords have
// the characters that URLs know otherwise.
func NewGuard(t testing.TB) Guard {
	t.Helper()
	return Guard{
		TLS:       NewTLS(t, "127.0.0.1"),
		Login:     Login{"keeper", "s/e+r:v@e?r&" + rand.Text()},
		Sentinels: Login{"watcher", "w/a+t:c@h?&" + rand.Text()},
	}
}

// options are those of a client that g lets in.
func (g Guard) options(addr string) *redis.Options {
	o := &redis.Options{Addr: addr, Username: g.Login.User, Password: g.Login.Password, ContextTimeoutEnabled: true}
	if g.TLS != nil {
		o.TLSConfig = g.TLS.client
	}
	return o
}

// arguments make a redis-server demand what g says.
func (g Guard) arguments(port string) []string {
	args := []string{"--port", port}
	if g.TLS != nil {
		args = append([]string{"--port", "0", "--tls-port", port}, g.TLS.arguments()...)
	}
	return append(args, g.Login.arguments()...)
}

func (l Login) arguments() []string {
	if l == (Login{}) {
		return nil
	}
	return []string{"--user", "default", "off", "--user", l.User, "on", ">" + l.Password, "~*", "&*", "+@all"}
}

// replication makes a server one that other servers let in.
func (g Guard) replication() []string {
	if g.Login == (Login{}) {
		return nil
	}
	return []string{"--masteruser", g.Login.User, "--masterauth", g.Login.Password}
}

// ofSentinels is what the Sentinels demand themselves.
func (g Guard) ofSentinels() Guard { return Guard{TLS: g.TLS, Login: g.Sentinels} }

// url is a URL for a client that g lets in; hosts may have a path.
func (g Guard) url(scheme, hosts string, params url.Values) string {
	if g.TLS != nil {
		params.Set("ca", g.TLS.CAFile)
	}
	userinfo := ""
	if g.Login != (Login{}) {
		userinfo = url.UserPassword(g.Login.User, g.Login.Password).String() + "@"
	}
	return strings.TrimSuffix(scheme+"://"+userinfo+hosts+"?"+params.Encode(), "?")
}
