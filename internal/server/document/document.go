// Package document reads GraphQL documents, and refuses at little cost those that would cost much: to parse, to validate, or to execute.
package document

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"

	"rollcall/internal/auth"
)

// Reader parses and validates documents.
type Reader struct {
	schema *ast.Schema
	rules  []validator.Rule
	kept   graphql.Cache[*ast.QueryDocument]
}

// NewReader is a reader of documents for a schema, which keeps those that are valid in kept. With suggestions, errors name
// what in the schema was perhaps meant.
func NewReader(schema *ast.Schema, kept graphql.Cache[*ast.QueryDocument], suggestions bool) *Reader {
	return &Reader{schema: schema, rules: rulesOf(suggestions), kept: kept}
}

// Read is the document of a text. Nobody changes it.
func (r *Reader) Read(ctx context.Context, text string) (*ast.QueryDocument, gqlerror.List) {
	if document, found := r.kept.Get(ctx, text); found {
		return document, nil
	}
	most := anybody
	if _, err := auth.Require(ctx, auth.Service, auth.Admin); err == nil {
		most = trusted
	}
	document, errs := r.read(text, most)
	if len(errs) > 0 {
		return nil, errs
	}
	r.kept.Add(ctx, text, document)
	return document, nil
}

// Check is what is wrong with a text of the operator's own.
func (r *Reader) Check(text string) error {
	if _, errs := r.read(text, trusted); len(errs) > 0 {
		return errs
	}
	return nil
}

func (r *Reader) read(text string, most bounds) (*ast.QueryDocument, gqlerror.List) {
	if err := scan(text, most); err != nil {
		return nil, gqlerror.List{err}
	}
	document, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, most.tokens)
	if err != nil {
		told := gqlerror.WrapIfUnwrapped(err)
		errcode.Set(told, errcode.ParseFailed)
		return nil, gqlerror.List{told}
	}
	if len(document.Operations) == 0 {
		return nil, gqlerror.List{invalid("no operation provided")}
	}
	if err := effort(document); err != nil {
		return nil, gqlerror.List{err}
	}
	if errs := validate(r.schema, r.rules, document); len(errs) > 0 {
		return nil, errs
	}
	return document, nil
}
