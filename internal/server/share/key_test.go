package share

import (
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"rollcall/internal/live"
)

var keySchema = gqlparser.MustLoadSchema(&ast.Source{Input: `
type Query { a: Int }
type Subscription { events(since: String, filter: Filter): Event }
input Filter { users: [ID!] }
type Event { id: ID user(size: Int, sizes: [Int!]): User }
type User { name: String pictures(filter: Filter): Int }`})

func TestSubscriptionKey(t *testing.T) {
	keyWith := func(document, scope string, variables map[string]any) live.Key {
		doc, errs := gqlparser.LoadQueryWithRules(keySchema, document, rules.NewDefaultRules())
		require.Empty(t, errs)
		return SubscriptionKey(&graphql.OperationContext{
			RawQuery: document, Operation: doc.Operations[0], Doc: doc, Variables: variables,
		}, scope)
	}
	const ofArguments = `subscription($since: String, $users: [ID!]) { events(since: $since, filter: {users: $users}) { id } }`
	for name, tt := range map[string]struct {
		document  string
		a, b      map[string]any
		different bool
	}{
		"arguments of the field":               {ofArguments, map[string]any{"since": "a", "users": []any{"x"}}, map[string]any{"since": "b"}, false},
		"a variable that is not used below":    {`subscription($since: String) { events(since: $since) { id } }`, nil, map[string]any{"since": "b"}, false},
		"an argument below":                    {`subscription($n: Int) { events { user(size: $n) { name } } }`, map[string]any{"n": 1}, map[string]any{"n": 2}, true},
		"in a list below":                      {`subscription($n: Int!) { events { user(sizes: [1, $n]) { name } } }`, map[string]any{"n": 1}, map[string]any{"n": 2}, true},
		"in an object below":                   {`subscription($u: [ID!]) { events { user { pictures(filter: {users: $u}) } } }`, map[string]any{"u": "a"}, map[string]any{"u": "b"}, true},
		"above and below":                      {`subscription($s: String, $n: Int) { events(since: $s) { user(size: $n) { name } } }`, map[string]any{"s": "a", "n": 1}, map[string]any{"s": "a", "n": 2}, true},
		"a directive below":                    {`subscription($on: Boolean!) { events { id @include(if: $on) } }`, map[string]any{"on": true}, map[string]any{"on": false}, true},
		"a directive of the field":             {`subscription($on: Boolean!) { events @include(if: $on) { id } }`, map[string]any{"on": true}, map[string]any{"on": false}, true},
		"a fragment in a fragment":             {`subscription($n: Int) { events { ...a } } fragment a on Event { ...b } fragment b on Event { user(size: $n) { name } }`, map[string]any{"n": 1}, map[string]any{"n": 2}, true},
		"a directive of a fragment":            {`subscription($on: Boolean!) { events { ...a @skip(if: $on) id } } fragment a on Event { id }`, map[string]any{"on": true}, map[string]any{"on": false}, true},
		"an inline fragment around the field":  {`subscription($s: String) { ... on Subscription { events(since: $s) { id } } }`, map[string]any{"s": "a"}, map[string]any{"s": "b"}, true},
		"an inline fragment below":             {`subscription($on: Boolean!) { events { ... @include(if: $on) { id } } }`, map[string]any{"on": true}, map[string]any{"on": false}, true},
		"a variable that is null, and missing": {`subscription($n: Int) { events { user(size: $n) { name } } }`, map[string]any{"n": nil}, map[string]any{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := keyWith(tt.document, "", tt.a), keyWith(tt.document, "", tt.b)
			if tt.different {
				require.NotEqual(t, a, b)
			} else {
				require.Equal(t, a, b)
			}
			require.NotEqual(t, a, keyWith(tt.document, "user ann", tt.a))
			require.Equal(t, a, keyWith(tt.document, "", tt.a))
		})
	}
	require.NotEqual(t, keyWith(`subscription { events { id } }`, "", nil), keyWith(`subscription { events { n: id } }`, "", nil))
}
