package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "rollcall"

// all, in the place of a list, allows every package.
const all = "*"

// mayImport says which of the module's packages each may import; a path that
// ends in /... stands for the packages below it. Imports point one way: from
// main down to the domain.
var mayImport = map[string][]string{
	// the domain knows nobody
	"internal/presence":   {},
	"internal/users":      {},
	"internal/users/demo": {"internal/users"},
	"internal/pulse":      {},
	"internal/rate":       {},
	"internal/backoff":    {},
	"internal/live":       {},
	"internal/redisconn":  {},

	// stores know their domain
	"internal/rate/redisrate":        {"internal/rate"},
	"internal/presence/memstore":     {"internal/presence"},
	"internal/presence/redisstore":   {"internal/presence", "internal/redisconn"},
	"internal/presence/presencetest": {"internal/presence", "internal/presence/..."},
	"internal/users/directory":       {"internal/backoff", "internal/users"},
	"internal/users/redistier":       {"internal/backoff", "internal/users", "internal/users/directory"},
	"internal/users/sqlsource":       {"internal/backoff", "internal/users", "internal/users/demo"},

	// services of a node
	"internal/feed":      {"internal/backoff", "internal/live", "internal/presence"},
	"internal/keepalive": {"internal/feed", "internal/presence", "internal/pulse"},
	"internal/auth":      {"internal/backoff", "internal/presence"},
	"internal/config":    {"internal/auth", "internal/presence", "internal/rate", "internal/redisconn", "internal/server/address", "internal/server/origin"},
	"internal/throttle":  {"internal/auth", "internal/keepalive", "internal/presence", "internal/pulse", "internal/rate", "internal/server/address"},

	// the API: domain and generated types meet here and nowhere below
	"dataloader":          {"internal/presence", "internal/users"},
	"resolvers/scalar":    {"internal/presence"},
	"resolvers/heartbeat": {"internal/presence", "resolvers/scalar"},
	"graph":               {"resolvers/heartbeat", "resolvers/scalar", "internal/feed", "internal/keepalive", "internal/presence", "internal/users"},
	"resolvers": {
		"graph", "dataloader", "resolvers/heartbeat", "resolvers/scalar", "internal/auth", "internal/feed",
		"internal/keepalive", "internal/live", "internal/presence", "internal/pulse", "internal/users",
	},

	// who puts it together
	"internal/server":             {all},
	"internal/server/document":    {"internal/auth", "internal/server/limit"},
	"internal/server/execution":   {"internal/live", "internal/server/response", "internal/server/share"},
	"internal/server/limit":       {},
	"internal/server/address":     {},
	"internal/server/operation":   {},
	"internal/server/certificate": {},
	"internal/server/origin":      {},
	"internal/server/refusal":     {},
	"internal/server/request":     {"internal/auth", "internal/presence", "internal/server/document", "internal/server/limit", "internal/server/refusal"},
	"internal/server/response":    {},
	"internal/server/shed":        {"internal/presence"},
	"internal/server/share":       {"internal/auth", "internal/live"},
	"internal/server/ws":          {"internal/auth", "internal/presence", "internal/pulse", "internal/server/..."},
	"internal/server/sse":         {"internal/auth", "internal/presence", "internal/server/..."},
	"internal/server/unary":       {"internal/server/..."},
	"internal/server/servertest":  {all},
	"web":                         {},
	"":                            {all},

	// help for tests
	"internal/archtest":  {},
	"internal/faults":    {},
	"internal/logtest":   {},
	"internal/redistest": {},
	"internal/pgtest":    {},
}

// onlyIn says for what comes from outside which packages alone may import it,
// so that it can be replaced in one place.
var onlyIn = map[string][]string{
	"github.com/99designs/gqlgen":      {"graph", "resolvers", "resolvers/heartbeat", "resolvers/scalar", "internal/server", "internal/server/..."},
	"github.com/agnivade/levenshtein":  {"internal/config"},
	"github.com/alecthomas/kong":       {"internal/config", ""},
	"github.com/coder/websocket":       {"internal/server/ws", "internal/server/servertest"},
	"github.com/go-chi/chi":            {"internal/server"},
	"github.com/go-redsync/redsync":    {"internal/users/redistier"},
	"github.com/MicahParks/jwkset":     {"internal/auth"},
	"github.com/golang-jwt/jwt":        {"internal/auth"},
	"github.com/jackc/pgx":             {"internal/users/sqlsource", "internal/pgtest"},
	"github.com/maypok86/otter":        {"internal/users/directory", "internal/server"},
	"github.com/pressly/goose":         {"internal/users/sqlsource"},
	"github.com/redis/go-redis":        {"internal/redisconn", "internal/presence/redisstore", "internal/users/redistier", "internal/rate/redisrate", "internal/redistest", ""},
	"github.com/schollz/progressbar":   {""},
	"github.com/tidwall/btree":         {"internal/presence/memstore"},
	"github.com/vikstrous/dataloadgen": {"dataloader"},
	"modernc.org/sqlite":               {"internal/users/sqlsource"},
	"database/sql":                     {"internal/users/sqlsource", "internal/pgtest"},
}

// stdOnly import nothing but the standard library.
var stdOnly = []string{"internal/backoff", "internal/server/address", "internal/server/certificate", "internal/server/origin", "internal/presence", "internal/rate", "internal/users", "internal/users/demo", "internal/pulse", "web"}

// goPackage is what `go list` says of a package.
type goPackage struct {
	ImportPath string
	Imports    []string // without those of its tests
}

// path is a package's path in the module; "" is package main.
func (p goPackage) path() string { return inModule(p.ImportPath) }

func inModule(importPath string) string {
	return strings.TrimPrefix(strings.TrimPrefix(importPath, module), "/")
}

func ours(importPath string) bool {
	return importPath == module || strings.HasPrefix(importPath, module+"/")
}

func std(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".") && !ours(importPath)
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", module+"/...")
	var problems bytes.Buffer
	list.Stderr = &problems
	out, err := list.Output()
	require.NoError(t, err, problems.String())

	var packages []goPackage
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		packages = append(packages, p)
	}
	require.NotEmpty(t, packages)
	return packages
}

func TestImportsPointOneWay(t *testing.T) {
	for _, p := range packages(t) {
		may, known := mayImport[p.path()]
		if !known {
			t.Errorf("%s has no rule: say in mayImport what it may import", p.ImportPath)
			continue
		}
		for _, i := range p.Imports {
			if ours(i) && !matches(may, inModule(i)) {
				t.Errorf("%s may not import %s", p.ImportPath, i)
			}
		}
	}
}

func TestOutsidePackagesStayInTheirPlace(t *testing.T) {
	for _, p := range packages(t) {
		for _, i := range p.Imports {
			if !std(i) && slices.Contains(stdOnly, p.path()) && !ours(i) {
				t.Errorf("%s may import the standard library only, not %s", p.ImportPath, i)
			}
			for outside, places := range onlyIn {
				if (i == outside || strings.HasPrefix(i, outside+"/")) && !matches(places, p.path()) {
					t.Errorf("%s may not import %s; only %q may", p.ImportPath, i, places)
				}
			}
		}
	}
}

func matches(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if below, ok := strings.CutSuffix(pattern, "..."); ok {
			return strings.HasPrefix(path, below)
		}
		return pattern == all || pattern == path
	})
}
