package execution

import (
	"crypto/sha256"
	"encoding/json"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// shareKey is the same for subscriptions whose answers to an item are the same: their
// documents are, and those of their variables that are used below the subscribed
// field. The field's own arguments have chosen the items, and play no part after that: clients who
// resume from different places share their answers from then on.
func shareKey(op *graphql.OperationContext) string {
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
	encoded, err := json.Marshal(variables) // with sorted keys
	if err != nil {
		panic(err) // they came as JSON
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{op.RawQuery, op.OperationName, string(encoded)}, "\x00")))
	return string(sum[:])
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
