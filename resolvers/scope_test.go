package resolvers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"

	"rollcall/graph"
	"rollcall/internal/auth"
)

// An answer that is made once for all who subscribed says the same to each of them; where the
// answer depends on the caller it is made for each. Every field of the schema is tried alone.
func TestNoAnswerIsAnotherCallers(t *testing.T) {
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	var dependent []string
	for _, path := range fieldsBelow(schema, schema.Types["PresenceEvent"], 3) {
		t.Run(path, func(t *testing.T) {
			document := fmt.Sprintf("subscription{presenceChanged{events{%s}}}", strings.ReplaceAll(path, ".", "{")+strings.Repeat("}", strings.Count(path, ".")))
			callers := []auth.Caller{ann, bob, root}
			// told is what they are told of one event.
			told := func(callers ...auth.Caller) (answers []string) {
				s := newServer(t)
				s.directory.put("ann", "Ann", 1)
				var subs []*subscription
				for _, caller := range callers {
					sub := s.subscribe(t, caller, document, nil)
					sub.next(t)
					subs = append(subs, sub)
				}
				s.signIn(t, "ann", "phone")
				for _, sub := range subs {
					a := sub.next(t)
					require.Empty(t, a.Errors)
					answers = append(answers, string(a.Data))
				}
				return answers
			}
			var want []string
			for _, caller := range callers {
				want = append(want, told(caller)...)
			}
			if want[0] != want[1] || want[1] != want[2] {
				dependent = append(dependent, path)
			}
			require.Equal(t, append(want, want...), told(append(callers, callers...)...))
		})
	}
	for _, path := range dependent {
		require.True(t, strings.HasSuffix(path, "deviceId"), "%s depends on the caller: is it in callersOwn?", path)
	}
	require.NotEmpty(t, dependent)
}

// fieldsBelow are the paths of the scalar fields of a type, down to a depth.
func fieldsBelow(schema *ast.Schema, object *ast.Definition, depth int) (paths []string) {
	for _, field := range object.Fields {
		if strings.HasPrefix(field.Name, "__") || slices.ContainsFunc(field.Arguments, func(a *ast.ArgumentDefinition) bool { return a.Type.NonNull }) {
			continue
		}
		below := schema.Types[field.Type.Name()]
		if below.IsLeafType() {
			paths = append(paths, field.Name)
			continue
		}
		if depth > 1 {
			for _, path := range fieldsBelow(schema, below, depth-1) {
				paths = append(paths, field.Name+"."+path)
			}
		}
	}
	return paths
}

func TestOneLoadForAllWhoSubscribed(t *testing.T) {
	s := newServer(t)
	s.directory.put("ann", "Ann", 1)
	var subs []*subscription
	for i := range 20 {
		sub := s.subscribe(t, []auth.Caller{ann, bob, root}[i%3], `subscription($since: String) {presenceChanged(since: $since) {events{user{name}}}}`, nil)
		sub.next(t)
		subs = append(subs, sub)
	}
	before := len(s.directory.loaded())
	s.signIn(t, "ann", "phone")
	for _, sub := range subs {
		sub.next(t).is(t, `{"presenceChanged": {"events": [{"user": {"name": "Ann"}}]}}`)
	}
	require.LessOrEqual(t, len(s.directory.loaded())-before, 2, "one for the level at sign-in, one for the answer")
}
