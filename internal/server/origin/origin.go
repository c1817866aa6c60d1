// Package origin says which sites' pages may use the API from a browser: one list, for WebSockets and all else.
package origin

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// List are the origins that are allowed besides the server's own. The zero List allows no other.
type List struct {
	allowed map[string]struct{}
}

// form is that of an origin: what a Content-Security-Policy would take for more than a host, or for the end of a directive, is
// none.
var form = regexp.MustCompile(`^(https?)://([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:]+\])(:[0-9]{1,5})?$`)

// Check refuses what a browser would not call an origin, since it is compared with that: a path, upper case, the scheme's own
// port.
func Check(text string) error {
	parts := form.FindStringSubmatch(text)
	if parts == nil {
		return fmt.Errorf("%q is no origin such as https://app.example.com: a scheme and a host in lower case, and no path", text)
	}
	if own := map[string]string{"https": ":443", "http": ":80"}[parts[1]]; parts[4] == own {
		return fmt.Errorf("%q is no origin such as https://app.example.com: %s is the scheme's own port", text, own[1:])
	}
	return nil
}

// Parse reads a list of origins.
func Parse(origins []string) (List, error) {
	l := List{make(map[string]struct{}, len(origins))}
	for _, text := range origins {
		if err := Check(text); err != nil {
			return List{}, err
		}
		l.allowed[text] = struct{}{}
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
