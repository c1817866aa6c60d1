package document

import (
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"rollcall/internal/server/limit"
)

// Weigh says what a field, whose definition is known, costs: itself each time that it is answered (own), and how often what is
// selected of it is answered (times), the length of a list. A field with lists below it that don't say how long they are says so
// for them (below; 0: it has none), and they get it as rows. own and times are at least 1.
type Weigh func(field *ast.Field, variables map[string]any, rows int) (own, times, below int)

// Cost is what an operation of a valid document costs, or why it may not be executed. It takes no longer than [limit.Selections] fields do.
func Cost(op *ast.OperationDefinition, variables map[string]any, weigh Weigh) (int, *gqlerror.Error) {
	s := sum{variables: variables, weigh: weigh}
	err := s.add(op.SelectionSet, 1, scope{rows: 1})
	return s.cost, err
}

// sum is what has been counted of an operation.
type sum struct {
	variables        map[string]any
	weigh            Weigh
	selections, cost int
}

// scope is where in the answer a selection is.
type scope struct {
	depth, rows int
	meta        bool // within the schema
}

// add counts selections that are answered a number of times.
func (s *sum) add(set ast.SelectionSet, times int, in scope) (err *gqlerror.Error) {
	for _, selection := range set {
		if s.selections++; s.selections > limit.Selections {
			return invalid("the operation selects more than %d fields", limit.Selections)
		}
		switch selection := selection.(type) {
		case *ast.Field:
			err = s.addField(selection, times, in)
		case *ast.InlineFragment:
			err = s.add(selection.SelectionSet, times, in)
		case *ast.FragmentSpread: // the document is valid, so fragments exist and have no cycles
			err = s.add(selection.Definition.SelectionSet, times, in)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *sum) addField(field *ast.Field, times int, in scope) *gqlerror.Error {
	in.depth++
	in.meta = in.meta || field.Name == "__schema" || field.Name == "__type"
	most := limit.Depth
	if in.meta {
		most = limit.MetaDepth
	}
	if in.depth > most {
		return invalid("the operation is nested more than %d deep", most)
	}
	own, each, below := 1, 1, 0
	if !in.meta {
		own, each, below = s.weigh(field, s.variables, in.rows)
	}
	if below > 0 {
		in.rows = below
	}
	s.cost += times * own
	if s.cost > limit.Cost {
		return invalid("the operation costs more than %d: ask for less at a time", limit.Cost)
	}
	return s.add(field.SelectionSet, times*each, in)
}
