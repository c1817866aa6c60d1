package address

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	proxies, err := Parse([]string{"10.0.0.0/8", "192.0.2.1", "2001:db8::/32", "::1"})
	require.NoError(t, err)
	for address, trusted := range map[string]bool{"10.255.255.255": true, "192.0.2.1": true, "192.0.2.2": false, "2001:db8::7": true, "::1": true, "::2": false} {
		require.Equal(t, trusted, proxies.trust(netip.MustParseAddr(address)), address)
	}
	for _, text := range []string{"", "proxy.example.com", "10.0.0.0/33", "10.0.0.1:80", "::ffff:10.0.0.0/104", "::ffff:10.0.0.1", "fe80::1%eth0", "*", "10.0.0.0 /8"} {
		_, err := Parse([]string{text})
		require.Error(t, err, text)
	}
}

func TestOf(t *testing.T) {
	proxies := Proxies{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::/32")}
	for name, tt := range map[string]struct {
		peer   string
		header http.Header
		want   string
	}{
		"no proxy":                  {"192.0.2.1:1", nil, "192.0.2.1"},
		"no proxy, by IPv6":         {"[::1]:1", nil, "::1"},
		"no proxy, link-local":      {"[fe80::1%eth0]:1", nil, "fe80::1"},
		"a proxy":                   {"10.0.0.1:1", http.Header{"X-Forwarded-For": {"192.0.2.1"}}, "192.0.2.1"},
		"a proxy, by IPv6":          {"[2001:db8::1]:1", http.Header{"X-Forwarded-For": {"192.0.2.1"}}, "192.0.2.1"},
		"a proxy, by mapped IPv4":   {"[::ffff:10.0.0.1]:1", http.Header{"X-Forwarded-For": {"::ffff:192.0.2.1"}}, "192.0.2.1"},
		"a proxy that says nothing": {"10.0.0.1:1", nil, "10.0.0.1"},
		"two proxies":               {"10.0.0.1:1", http.Header{"X-Forwarded-For": {"192.0.2.1, 10.9.9.9"}}, "192.0.2.1"},
		"two lines":                 {"10.0.0.1:1", http.Header{"X-Forwarded-For": {"192.0.2.1", "10.9.9.9"}}, "192.0.2.1"},
		"proxies alone":             {"10.0.0.1:1", http.Header{"X-Forwarded-For": {"10.0.0.3, 10.0.0.2"}}, "10.0.0.3"},
		"a port":                    {"10.0.0.1:1", http.Header{"X-Forwarded-For": {"192.0.2.1:4711"}}, "192.0.2.1"},
		"IPv6":                      {"10.0.0.1:1", http.Header{"X-Forwarded-For": {"2001:db9::1"}}, "2001:db9::1"},
		"IPv6 with a port":          {"10.0.0.1:1", http.Header{"X-Forwarded-For": {"[2001:db9::1]:4711"}}, "2001:db9::1"},

		"not a proxy's word":     {"192.0.2.1:1", http.Header{"X-Forwarded-For": {"198.51.100.7"}}, "192.0.2.1"},
		"a forged beginning":     {"10.0.0.1:1", http.Header{"X-Forwarded-For": {"198.51.100.7, 192.0.2.1"}}, "192.0.2.1"},
		"a forged proxy":         {"10.0.0.1:1", http.Header{"X-Forwarded-For": {"198.51.100.7, 10.0.0.9, 192.0.2.1, 10.0.0.2"}}, "192.0.2.1"},
		"a forged line":          {"10.0.0.1:1", http.Header{"X-Forwarded-For": {"198.51.100.7", "192.0.2.1"}}, "192.0.2.1"},
		"nonsense":               {"10.0.0.1:1", http.Header{"X-Forwarded-For": {"nonsense"}}, "10.0.0.1"},
		"nonsense in between":    {"10.0.0.1:1", http.Header{"X-Forwarded-For": {"198.51.100.7, , 10.0.0.2"}}, "10.0.0.2"},
		"Forwarded":              {"10.0.0.1:1", http.Header{"Forwarded": {`for=192.0.2.1;proto=https, For="10.0.0.2:80"`}}, "192.0.2.1"},
		"Forwarded IPv6":         {"10.0.0.1:1", http.Header{"Forwarded": {`proto=https; for="[2001:db9::1]"`}}, "2001:db9::1"},
		"Forwarded, forged":      {"10.0.0.1:1", http.Header{"Forwarded": {`for=198.51.100.7`, `for=192.0.2.1`}}, "192.0.2.1"},
		"Forwarded, obfuscated":  {"10.0.0.1:1", http.Header{"Forwarded": {`for=_hidden, for=10.0.0.2`}}, "10.0.0.2"},
		"Forwarded, unknown":     {"10.0.0.1:1", http.Header{"Forwarded": {`for=unknown`}}, "10.0.0.1"},
		"Forwarded without for":  {"10.0.0.1:1", http.Header{"Forwarded": {`by=10.0.0.1`}}, "10.0.0.1"},
		"both, alike":            {"10.0.0.1:1", http.Header{"Forwarded": {`for=192.0.2.1`}, "X-Forwarded-For": {"192.0.2.1"}}, "192.0.2.1"},
		"both, one of them made": {"10.0.0.1:1", http.Header{"Forwarded": {`for=198.51.100.7`}, "X-Forwarded-For": {"192.0.2.1"}}, "10.0.0.1"},
		"no network":             {"@", http.Header{"X-Forwarded-For": {"192.0.2.1"}}, "invalid IP"},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.RemoteAddr, r.Header = tt.peer, tt.header
			require.Equal(t, tt.want, proxies.Of(r).String())

			var noted netip.Addr
			proxies.Note(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				noted = FromContext(r.Context())
			})).ServeHTTP(httptest.NewRecorder(), r)
			require.Equal(t, tt.want, noted.String())
		})
	}
	require.False(t, FromContext(t.Context()).IsValid())
}
