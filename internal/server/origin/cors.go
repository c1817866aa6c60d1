package origin

import "net/http"

// preflightAge is how long a browser may keep what a preflight was told, in seconds. None keeps it longer.
const preflightAge = "7200"

// Guard answers 403 to what comes from other origins, and lets browsers of those that are allowed see the answers
// (https://fetch.spec.whatwg.org/#http-cors-protocol). Cookies are not let in: callers are known by their token alone, which
// no other page has.
func (l List) Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Add("Vary", "Origin")
		if !l.Allows(r) {
			http.Error(w, "requests from this origin are not allowed", http.StatusForbidden)
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" {
			h.Set("Access-Control-Allow-Origin", origin)
		}
		if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
			next.ServeHTTP(w, r)
			return
		}
		h.Set("Access-Control-Allow-Methods", "GET, POST")
		// Whatever a client library adds: who may ask is decided, and no header makes more of it.
		h.Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
		h.Set("Access-Control-Max-Age", preflightAge)
		w.WriteHeader(http.StatusNoContent)
	})
}
