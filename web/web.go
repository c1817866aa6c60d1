// Package web serves the pages people open in a browser, from bundles that npm built into dist and
// the binary carries.
package web

import (
	"embed"
	"io/fs"
	"net/http"
	"strings"
)

// The bundles are not committed: `make web` builds them. A placeholder in dist lets the package compile
// without, and the pages then say how to build them.
//
//go:embed all:dist
var dist embed.FS

// PageConfig is what a page learns of the server that served it. It is sent to every visitor, so it
// holds nothing secret.
type PageConfig struct {
	// Auth is how the server authenticates: "dev" or "jwt". Only with "dev" is a dev token filled in.
	Auth string `json:"auth"`
	// AvatarOrigins are the other sites whose pictures of users the console shows.
	AvatarOrigins []string `json:"avatarOrigins,omitempty"`
}

// graphiqlPolicy is the page's Content-Security-Policy: all it needs comes from this server, and no other site
// may frame a page that holds a token. Monaco writes style elements as it runs, and GraphiQL's style sheet
// carries its fonts as data.
const graphiqlPolicy = "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; " +
	"style-src 'self' 'unsafe-inline'; font-src 'self' data:; img-src 'self' data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// adminPolicy is the console's Content-Security-Policy: nothing inline, and nothing from elsewhere. That holds for
// pictures too, though the directory's avatars may be on other sites: the console works with no internet, tells nobody
// who looks at whom, and leaves a script that got in no way out. It shows initials in place of such a picture, unless
// the operator trusts the site with that.
func adminPolicy(avatarOrigins []string) string {
	images := strings.Join(append([]string{"'self'", "data:"}, avatarOrigins...), " ")
	return "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; " +
		"img-src " + images + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// GraphiQL returns the handler of the GraphiQL page: `/`, and its files under `/assets/`. Any other path
// is not found. It answers GET and HEAD.
//
// Without a built bundle `/` is a plain page that says how to build it. That is still a 200: the API works
// without the page, and a load balancer that probes `/` must not take the node for a broken one.
func GraphiQL(cfg PageConfig) http.Handler {
	return newPage(bundle("graphiql"), graphiqlPolicy, cfg)
}

// Admin returns the handler of the admin console: `/admin`, the same with a slash, and its files under
// `/admin/assets/`. Otherwise it is as [GraphiQL].
func Admin(cfg PageConfig) http.Handler {
	return http.StripPrefix("/admin", newPage(bundle("admin"), adminPolicy(cfg.AvatarOrigins), cfg))
}

// bundle is what npm built of one workspace; empty if it was not built.
func bundle(workspace string) fs.FS {
	built, err := fs.Sub(dist, "dist/"+workspace)
	if err != nil {
		panic(err) // only for an invalid path, and the workspaces' names are constants
	}
	return built
}
