package document

import (
	"iter"

	"github.com/vektah/gqlparser/v2/ast"
)

// Fields are the fields of a selection in a valid document, with those of its fragments, and without those below them.
func Fields(set ast.SelectionSet) iter.Seq[*ast.Field] {
	return func(yield func(*ast.Field) bool) { eachField(set, yield) }
}

func eachField(set ast.SelectionSet, yield func(*ast.Field) bool) bool {
	for _, selection := range set {
		more := true
		switch s := selection.(type) {
		case *ast.Field:
			more = yield(s)
		case *ast.InlineFragment:
			more = eachField(s.SelectionSet, yield)
		case *ast.FragmentSpread: // the document is valid, so fragments exist and have no cycles
			more = eachField(s.Definition.SelectionSet, yield)
		}
		if !more {
			return false
		}
	}
	return true
}
