package redistest

import (
	"net/url"
	"testing"
)

// Ring is several independent servers that belong to one test.
type Ring struct {
	Nodes []*Server
	guard Guard
}

// StartRing starts n servers.
func StartRing(t testing.TB, n int) *Ring {
	t.Helper()
	return Guard{}.StartRing(t, n)
}

// StartRing is the function StartRing for servers that demand what g says.
func (g Guard) StartRing(t testing.TB, n int) *Ring {
	t.Helper()
	r := &Ring{guard: g}
	for range n {
		r.Nodes = append(r.Nodes, g.Start(t))
	}
	return r
}

// URL is the redis+ring:// URL.
func (r *Ring) URL() string { return r.URLAs(r.guard) }

// URLAs is the URL with what g demands, whatever the servers do.
func (r *Ring) URLAs(g Guard) string { return g.url("redis+ring", addrs(r.Nodes), url.Values{}) }
