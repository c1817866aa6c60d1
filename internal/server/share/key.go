package share

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"unique"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"rollcall/internal/live"
)

// key is the same for operations whose answers are the same.
type key [sha256.Size]byte

// keyOf is the key of an operation whose answers depend on nothing but these variables and
// on whom they are for.
func keyOf(op *graphql.OperationContext, variables map[string]any, scope string) (key, error) {
	encoded, err := json.Marshal(variables) // with sorted keys
	if err != nil {
		return key{}, fmt.Errorf("variables: %w", err)
	}
	return sha256.Sum256([]byte(strings.Join([]string{op.RawQuery, op.OperationName, string(encoded), scope}, "\x00"))), nil
}

// SubscriptionKey is the same for subscriptions whose answers to an item are the same: their
// scopes and documents are, and those of their variables that are used below the subscribed
// field. The field's own arguments have chosen the items, and play no part after that: clients who
// resume from different places share their answers from then on.
func SubscriptionKey(op *graphql.OperationContext, scope string) live.Key {
	u := used{}
	for _, s := range op.Operation.SelectionSet {
		if field, ok := s.(*ast.Field); ok {
			u.directives(field.Directives)
			u.selections(field.SelectionSet)
			continue
		}
		u.selections(ast.SelectionSet{s})
	}
	variables := make(map[string]any, len(u))
	for name := range u {
		variables[name] = op.Variables[name]
	}
	k, err := keyOf(op, variables, scope)
	if err != nil {
		panic(err) // they came as JSON
	}
	return unique.Make(string(k[:]))
}

// used are the names of variables.
type used map[string]struct{}

func (u used) selections(set ast.SelectionSet) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			u.arguments(s.Arguments)
			u.directives(s.Directives)
			u.selections(s.SelectionSet)
		case *ast.InlineFragment:
			u.directives(s.Directives)
			u.selections(s.SelectionSet)
		case *ast.FragmentSpread: // the document is valid, so fragments exist and have no cycles
			u.directives(s.Directives)
			u.selections(s.Definition.SelectionSet)
		}
	}
}

func (u used) directives(all ast.DirectiveList) {
	for _, d := range all {
		u.arguments(d.Arguments)
	}
}

func (u used) arguments(all ast.ArgumentList) {
	for _, a := range all {
		u.value(a.Value)
	}
}

func (u used) value(v *ast.Value) {
	if v == nil {
		return
	}
	if v.Kind == ast.Variable {
		u[v.Raw] = struct{}{}
	}
	for _, child := range v.Children {
		u.value(child.Value)
	}
}
