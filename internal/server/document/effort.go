package document

import (
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"rollcall/internal/server/limit"
)

// effort refuses a document that would take long to validate, before it is validated. It takes no longer than the limits are high.
//
// Two of the validator's costs grow faster than the document. It walks each definition together with all fragments
// that this one reaches. And to tell whether fields can be merged it compares each field with each other of the same
// name that may stand beside it: those whose parents have the same name too, and any that stand at the root of a fragment.
func effort(document *ast.QueryDocument) *gqlerror.Error {
	if len(document.Operations)+len(document.Fragments) > limit.Definitions {
		return invalid("the document has more than %d operations and fragments", limit.Definitions)
	}
	if visits(document) > limit.Visits {
		return invalid("the document takes too long to validate: its fragments reach too far")
	}
	if comparisons(document) > limit.Comparisons {
		return invalid("the document takes too long to validate: it selects fields of the same name too often")
	}
	return nil
}

// visits is how many selections the validator's walk visits, counted no further than the limit.
func visits(document *ast.QueryDocument) int {
	v := visitor{fragments: make(map[string]*ast.FragmentDefinition, len(document.Fragments))}
	for _, f := range document.Fragments {
		v.fragments[f.Name] = f
	}
	for _, o := range document.Operations {
		v.entered = make(map[string]bool, len(v.fragments))
		v.visit(o.SelectionSet)
	}
	for _, f := range document.Fragments {
		v.entered = make(map[string]bool, len(v.fragments))
		v.visit(f.SelectionSet)
	}
	return v.count
}

type visitor struct {
	fragments map[string]*ast.FragmentDefinition
	entered   map[string]bool
	count     int
}

func (v *visitor) visit(set ast.SelectionSet) {
	for _, s := range set {
		if v.count++; v.count > limit.Visits {
			return
		}
		switch s := s.(type) {
		case *ast.Field:
			v.visit(s.SelectionSet)
		case *ast.InlineFragment:
			v.visit(s.SelectionSet)
		case *ast.FragmentSpread:
			if f := v.fragments[s.Name]; f != nil && !v.entered[s.Name] {
				v.entered[s.Name] = true
				v.visit(f.SelectionSet)
			}
		}
	}
}

// comparisons is about how many comparisons the validator makes of fields and fragments.
func comparisons(document *ast.QueryDocument) int {
	n := len(document.Fragments)
	f := fields{beside: make(map[place]int), anywhere: make(map[string]int), all: make(map[string]int), fragments: n}
	for _, o := range document.Operations {
		f.add(o.SelectionSet, "", false)
	}
	for _, d := range document.Fragments {
		f.add(d.SelectionSet, "", true)
	}
	// What spreads fragments is compared with all that it reaches, and they with each other.
	return f.comparisons + (f.spreads+n)*n
}

// place is a field's name and its parent's.
type place struct{ parent, name string }

// fields counts pairs of fields that may have to be compared.
type fields struct {
	beside   map[place]int
	anywhere map[string]int // at the roots of fragments
	all      map[string]int

	fragments, spreads, comparisons int
}

func (f *fields) add(set ast.SelectionSet, parent string, anywhere bool) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			name := s.Alias // the parser puts the name where there is none
			pairs := f.all[name]
			if anywhere {
				f.anywhere[name]++
			} else {
				pairs = f.beside[place{parent, name}] + f.anywhere[name]
				f.beside[place{parent, name}]++
			}
			if len(s.SelectionSet) > 0 { // both are compared with all fragments that either reaches
				pairs *= 1 + f.fragments
			}
			f.comparisons += pairs
			f.all[name]++
			f.add(s.SelectionSet, name, false)
		case *ast.InlineFragment:
			f.add(s.SelectionSet, parent, anywhere)
		case *ast.FragmentSpread:
			f.spreads++
		}
	}
}
