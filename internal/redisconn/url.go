// Package redisconn opens clients of Redis in all its layouts, by URL.
package redisconn

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
)

// Address is where a Redis is.
type Address struct {
	scheme             string // redis, sentinel, cluster or ring
	hosts              []string
	master             string // of Sentinel
	db                 int
	username, password string
	// The login of the Sentinels themselves.
	sentinelUsername, sentinelPassword string
	tls                                *tls.Config
	pool                               int // connections to each server; 0 leaves it to the client
}

// Parse reads the URL of a Redis:
//
//	redis://HOST:PORT/DB               one server
//	rediss://HOST:PORT/DB              one server, with TLS
//	redis+sentinel://H:P,H:P/MASTER/DB a primary that Sentinels name
//	redis+cluster://H:P,H:P,H:P        a Redis Cluster, by some of its nodes
//	redis+ring://H:P,H:P/DB            independent servers; their order does not matter
//
// with USER:PASSWORD@ before the hosts, and the parameters pool_size (connections
// to each server), tls=true (for the last three) and ca=FILE (certificates to
// trust instead of the system's; implies TLS). Sentinels that want a login get that of
// sentinel_username and sentinel_password; USER:PASSWORD is the servers'. With TLS, each
// certificate has to be for the host as it is named here, or as Sentinels and
// Cluster nodes name it.
//
// Characters that mean something in a URL are escaped by %: in the user and password
// / and ?, in parameters & and %, and @ everywhere. No error shows a password, even where
// they are not.
func Parse(raw string) (Address, error) {
	var a Address
	// net/url takes no commas between ports, so the hosts are cut out first.
	scheme, rest, found := strings.Cut(raw, "://")
	rest, query, _ := strings.Cut(rest, "?")
	authority, path, _ := strings.Cut(rest, "/")
	if strings.Contains(path+query, "@") {
		// The password ended too soon, so parts of it stand where errors would show them.
		return a, errors.New("an @ behind the hosts: in a user or password write / as %2F and ? as %3F, in a path or parameter @ as %40")
	}
	userinfo, hosts := "", authority
	if at := strings.LastIndex(authority, "@"); at >= 0 {
		userinfo, hosts = authority[:at], authority[at+1:]
	}
	params, err := url.ParseQuery(strings.ReplaceAll(query, "+", "%2B")) // a plus is no space: passwords have them
	if err != nil || !found {
		return a, errors.New("not the URL of a Redis")
	}
	if err := a.setScheme(scheme); err != nil {
		return a, err // what the rest means depends on it
	}
	if err := a.setUser(userinfo); err != nil {
		return a, err
	}
	if err := a.setHosts(hosts); err != nil {
		return a, err
	}
	if err := a.setPath(path); err != nil {
		return a, err
	}
	return a, a.setParams(scheme, params)
}

// String is the address for people: without user, password and parameters.
func (a Address) String() string {
	scheme := a.scheme
	switch {
	case scheme != "redis":
		scheme = "redis+" + scheme
	case a.tls != nil:
		scheme = "rediss"
	}
	text := scheme + "://" + strings.Join(a.hosts, ",")
	if a.master != "" {
		text += "/" + a.master
	}
	if a.db != 0 {
		text += "/" + strconv.Itoa(a.db)
	}
	return text
}

func (a *Address) setScheme(scheme string) error {
	switch scheme {
	case "redis", "rediss":
		a.scheme = "redis"
	case "redis+sentinel", "redis+cluster", "redis+ring":
		a.scheme = strings.TrimPrefix(scheme, "redis+")
	default:
		return fmt.Errorf("the scheme %q is none of redis, rediss, redis+sentinel, redis+cluster, redis+ring", scheme)
	}
	return nil
}

func (a *Address) setParams(scheme string, params url.Values) error {
	encrypted := scheme == "rediss"
	var err error
	for name := range params {
		switch value := params.Get(name); name {
		case "pool_size":
			if a.pool, err = strconv.Atoi(value); err != nil || a.pool < 1 {
				return fmt.Errorf("pool_size is %q; it must be a positive number", value)
			}
		case "tls":
			on, err := strconv.ParseBool(value)
			if err != nil {
				return fmt.Errorf("tls is %q; it must be true or false", value)
			}
			encrypted = encrypted || on
		case "ca":
			encrypted = true
		case "sentinel_username", "sentinel_password":
			if a.scheme != "sentinel" {
				return fmt.Errorf("%s is for redis+sentinel:// only", name)
			}
			a.sentinelUsername, a.sentinelPassword = params.Get("sentinel_username"), params.Get("sentinel_password")
		default:
			return fmt.Errorf("unknown parameter %q", name)
		}
	}
	if encrypted {
		a.tls, err = trust(params.Get("ca"))
	}
	return err
}

// trust is TLS that trusts the certificates in a file; without one, the system's.
func trust(file string) (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if file == "" {
		return config, nil
	}
	pem, err := os.ReadFile(file) //nolint:gosec // whoever configures the server names the file
	if err != nil {
		return nil, fmt.Errorf("certificates to trust: %w", err)
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("certificates to trust: %s holds none", file)
	}
	return config, nil
}

func (a *Address) setUser(userinfo string) error {
	name, password, _ := strings.Cut(userinfo, ":")
	var err, bad error
	a.username, err = url.PathUnescape(name)
	a.password, bad = url.PathUnescape(password)
	if errors.Join(err, bad) != nil {
		return errors.New("the user or password is not well escaped")
	}
	return nil
}

func (a *Address) setHosts(hosts string) error {
	for i, host := range strings.Split(hosts, ",") {
		if _, _, err := net.SplitHostPort(host); err != nil {
			host = net.JoinHostPort(strings.Trim(host, "[]"), a.defaultPort())
		}
		name, port, err := net.SplitHostPort(host)
		if _, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil || name == "" {
			return fmt.Errorf("host %d is not HOST:PORT", i+1) // not shown: where the @ is forgotten it is the password
		}
		a.hosts = append(a.hosts, host)
	}
	if a.scheme == "redis" && len(a.hosts) != 1 {
		return errors.New("redis:// takes one host; see redis+sentinel, redis+cluster, redis+ring")
	}
	return nil
}

func (a *Address) defaultPort() string {
	if a.scheme == "sentinel" {
		return "26379"
	}
	return "6379"
}

func (a *Address) setPath(path string) error {
	if a.scheme == "sentinel" {
		a.master, path, _ = strings.Cut(path, "/")
		if a.master == "" {
			return errors.New("redis+sentinel:// needs the primary's name: redis+sentinel://HOSTS/NAME")
		}
	}
	if path == "" {
		return nil
	}
	db, err := strconv.Atoi(path)
	if err != nil || db < 0 {
		return fmt.Errorf("%q is no database number", path)
	}
	if a.scheme == "cluster" && db != 0 {
		return errors.New("a Redis Cluster has one database, 0")
	}
	a.db = db
	return nil
}
