// Package origin says which sites' pages may use the API from a browser: one list, for WebSockets and all else.
package origin

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// List are the origins that are allowed besides the server's own. The zero List allows no other.
type List struct {
	allowed map[string]struct{}
}

// Parse reads origins as browsers send them: a scheme, a host, and a port that is not the scheme's own.
func Parse(origins []string) (List, error) {
	l := List{make(map[string]struct{}, len(origins))}
	for _, text := range origins {
		u, ok := parse(text)
		if !ok || strings.Contains(u.Host, "*") || u.Port() == defaultPort(u.Scheme) && u.Port() != "" {
			return List{}, fmt.Errorf("%q is not an origin such as https://app.example.com or http://localhost:5173", text)
		}
		l.allowed[u.String()] = struct{}{}
	}
	return l, nil
}

// Allows says whether a request may be served for where it comes from. A browser names the origin of the page that
// sends it, in all requests but those that only read from the page's own; a request without one is no other page's. One
// that a page with no origin to speak of sends, "null", is not allowed.
func (l List) Allows(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return true
	}
	u, ok := parse(origins[0])
	if !ok || len(origins) > 1 {
		return false
	}
	if _, listed := l.allowed[u.String()]; listed {
		return true
	}
	// Behind a proxy that speaks TLS the scheme is not known, and only the host can be compared.
	return strings.EqualFold(u.Host, r.Host) && (r.TLS == nil || u.Scheme == "https")
}

// parse reads an origin, in lower case.
func parse(text string) (*url.URL, bool) {
	text = strings.ToLower(text)
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || (u.Scheme != "https" && u.Scheme != "http") || text != u.Scheme+"://"+u.Host {
		return nil, false
	}
	return u, true
}

func defaultPort(scheme string) string {
	if scheme == "https" {
		return "443"
	}
	return "80"
}
