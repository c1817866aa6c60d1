package redisconn

import (
	"encoding/pem"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	for raw, want := range map[string]Address{
		"redis://127.0.0.1:7000":                {scheme: "redis", hosts: []string{"127.0.0.1:7000"}},
		"redis://localhost":                     {scheme: "redis", hosts: []string{"localhost:6379"}},
		"redis://[::1]:7000/3":                  {scheme: "redis", hosts: []string{"[::1]:7000"}, db: 3},
		"redis://[::1]":                         {scheme: "redis", hosts: []string{"[::1]:6379"}},
		"redis://:p%40ss@h:1":                   {scheme: "redis", hosts: []string{"h:1"}, password: "p@ss"},
		"redis://me:a@b@h:1?pool_size=50":       {scheme: "redis", hosts: []string{"h:1"}, username: "me", password: "a@b", pool: 50},
		"redis+cluster://a:1,b:2,c":             {scheme: "cluster", hosts: []string{"a:1", "b:2", "c:6379"}},
		"redis+sentinel://me:pw@a,b:2/mymaster": {scheme: "sentinel", hosts: []string{"a:26379", "b:2"}, master: "mymaster", username: "me", password: "pw"},
		"redis+sentinel://a/m?sentinel_password=a+b%2Fc%40d%3D&sentinel_username=e": {
			scheme: "sentinel", hosts: []string{"a:26379"}, master: "m", sentinelUsername: "e", sentinelPassword: "a+b/c@d=",
		},
		"redis+sentinel://a/mymaster/4":                {scheme: "sentinel", hosts: []string{"a:26379"}, master: "mymaster", db: 4},
		"redis+ring://a:1,b:2/1?pool_size=7&tls=false": {scheme: "ring", hosts: []string{"a:1", "b:2"}, db: 1, pool: 7},
	} {
		got, err := Parse(raw)
		require.NoError(t, err, raw)
		require.Equal(t, want, got, raw)
	}
}

func TestStringShowsNoSecret(t *testing.T) {
	for raw, want := range map[string]string{
		"redis://me:pw@h":                                 "redis://h:6379",
		"rediss://:pw@h:1/2?pool_size=3":                  "rediss://h:1/2",
		"redis+sentinel://me:pw@a,b:2/m/4":                "redis+sentinel://a:26379,b:2/m/4",
		"redis+cluster://me:pw@a:1,b:2?tls=1":             "redis+cluster://a:1,b:2",
		"redis+ring://me:pw@a:1,b:2":                      "redis+ring://a:1,b:2",
		"redis+sentinel://me:pw@a/m?sentinel_password=pw": "redis+sentinel://a:26379/m",
	} {
		a, err := Parse(raw)
		require.NoError(t, err)
		require.Equal(t, want, a.String())
	}
}

func TestParseRefuses(t *testing.T) {
	for raw, want := range map[string]string{
		"":                               "not the URL",
		"localhost:6379":                 "not the URL",
		"http://h":                       "scheme",
		"redis://":                       "HOST:PORT",
		"redis://a,b":                    "one host",
		"redis://h:port":                 "HOST:PORT",
		"redis://h:70000":                "HOST:PORT",
		"redis://h/x":                    "database",
		"redis://h/-1":                   "database",
		"redis://h?db=1":                 "unknown parameter",
		"redis://h?pool_size=0":          "pool_size",
		"redis://h?tls=perhaps":          "tls",
		"redis://%zz:pw@h":               "escaped",
		"redis+cluster://a,b/1":          "one database",
		"redis+cluster://a,,b":           "HOST:PORT",
		"redis+sentinel://a,b":           "primary's name",
		"rediss://h?ca=/does/not/exist":  "certificates",
		"redis+ring://secret:pw@a:1,b:/": "HOST:PORT",
		"redis://:pw/b@h:1":              "write / as %2F",
		"redis://:b?pw@h:1":              "write / as %2F",
		"redis://:b?pw=c@h:1":            "write / as %2F",
		"redis://:a@b/pw@h:1":            "write / as %2F",
		"redis://:pw/b":                  "HOST:PORT",
		"redis://h?sentinel_password=pw": "redis+sentinel:// only",
	} {
		_, err := Parse(raw)
		require.ErrorContains(t, err, want, raw)
		require.NotContains(t, err.Error(), "pw", "no error shows the password")
	}
}

func TestTLS(t *testing.T) {
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600))

	for _, raw := range []string{"rediss://h", "redis://h?tls=true", "redis+cluster://a,b?tls=1", "redis+ring://a,b?ca=" + file, "rediss://h?ca=" + file} {
		a, err := Parse(raw)
		require.NoError(t, err, raw)
		require.NotNil(t, a.tls, raw)
		require.Equal(t, strings.Contains(raw, "ca="), a.tls.RootCAs != nil, raw)
	}
	empty := filepath.Join(t.TempDir(), "empty.pem")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	_, err := Parse("rediss://h?ca=" + empty)
	require.ErrorContains(t, err, "holds none")
}
