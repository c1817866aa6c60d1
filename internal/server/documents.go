package server

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/maypok86/otter/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// documents keeps parsed and validated documents by their text. It is bounded by the length of the texts, so
// that many large documents take no more memory than many small ones.
type documents struct {
	cache *otter.Cache[string, *ast.QueryDocument]
}

var _ graphql.Cache[*ast.QueryDocument] = documents{}

func newDocuments(maxBytes uint64) documents {
	return documents{otter.Must(&otter.Options[string, *ast.QueryDocument]{
		MaximumWeight: maxBytes,
		Weigher:       func(text string, _ *ast.QueryDocument) uint32 { return uint32(len(text)) },
	})}
}

func (d documents) Get(_ context.Context, text string) (*ast.QueryDocument, bool) {
	return d.cache.GetIfPresent(text)
}

func (d documents) Add(_ context.Context, text string, document *ast.QueryDocument) {
	d.cache.Set(text, document)
}
