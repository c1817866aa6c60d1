package server

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/maypok86/otter/v2"

	"rollcall/internal/auth"
)

// persistedBytes bounds the text of the documents that clients may ask for by their hash.
const persistedBytes = 4 << 20

// persisted keeps documents by their hash, for clients that send the hash in place of the document: Apollo's
// automatic persisted queries (https://www.apollographql.com/docs/apollo-server/performance/apq). Like [documents] it is
// bounded by the length of the texts. Who has no token has no part in it: they could drop what others need, or have
// documents parsed that are larger than they may send.
type persisted struct {
	cache *otter.Cache[string, string]
}

var _ graphql.Cache[string] = persisted{}

func newPersisted(maxBytes uint64) persisted {
	return persisted{otter.Must(&otter.Options[string, string]{
		MaximumWeight: maxBytes,
		Weigher:       func(hash, text string) uint32 { return uint32(len(hash) + len(text)) },
	})}
}

func (p persisted) Get(ctx context.Context, hash string) (text string, found bool) {
	if _, err := auth.FromContext(ctx); err != nil {
		return "", false
	}
	return p.cache.GetIfPresent(hash)
}

func (p persisted) Add(ctx context.Context, hash, text string) {
	if _, err := auth.FromContext(ctx); err == nil {
		p.cache.Set(hash, text)
	}
}
