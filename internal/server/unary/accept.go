package unary

import (
	"net/http"
	"strings"
)

// The content types of answers.
const (
	plainJSON   = "application/json"
	graphQLJSON = "application/graphql-response+json"
)

// accepted is the content type of an answer by its request's Accept: the first that is named of those there are, and
// plain JSON to clients that take anything, since the specification's own type is news to many.
func accepted(h http.Header) string {
	accept := h.Get("Accept")
	if accept == "" {
		return plainJSON
	}
	for part := range strings.SplitSeq(accept, ",") {
		kind, _, _ := strings.Cut(part, ";")
		switch strings.ToLower(strings.TrimSpace(kind)) {
		case "*/*", "application/*", plainJSON:
			return plainJSON
		case graphQLJSON:
			return graphQLJSON
		}
	}
	return graphQLJSON
}
