package redistest

import "testing"

// Ring is several independent servers that belong to one test.
type Ring struct{ Nodes []*Server }

// StartRing starts n servers.
func StartRing(t testing.TB, n int) *Ring {
	t.Helper()
	r := &Ring{}
	for range n {
		r.Nodes = append(r.Nodes, Start(t))
	}
	return r
}

// URL is the redis+ring:// URL.
func (r *Ring) URL() string { return "redis+ring://" + addrs(r.Nodes) }
