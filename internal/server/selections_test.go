package server

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"rollcall/internal/server/limit"
)

// Case 28 (docs/cases.md) of another kind: a small document that is a large operation.
func TestSelectionsAreCountedThroughFragments(t *testing.T) {
	schema := gqlparser.MustLoadSchema(&ast.Source{Input: `type Query { me: User } type User { id: ID friend: User }`})
	var doubling strings.Builder
	doubling.WriteString(`{ me { ...F0 } }`)
	const levels = 40
	for i := range levels {
		fmt.Fprintf(&doubling, ` fragment F%d on User { a: friend { ...F%d } b: friend { ...F%d } }`, i, i+1, i+1)
	}
	fmt.Fprintf(&doubling, ` fragment F%d on User { id }`, levels)
	for query, refused := range map[string]bool{
		`{ me { id } }`: false,
		`{ ` + strings.Repeat(`me { id } `, limit.Selections/2-1) + `}`: false,
		`{ ` + strings.Repeat(`me { id } `, limit.Selections/2) + `}`:   true,
		doubling.String(): true,
	} {
		// Without the rules: what is valid does not matter here, and to validate the long ones takes seconds.
		document, errs := gqlparser.LoadQueryWithRules(schema, query, rules.NewRules(rules.KnownFragmentNamesRule, rules.FieldsOnCorrectTypeRule))
		require.Empty(t, errs)
		require.Equal(t, refused, count(document.Operations[0].SelectionSet, limit.Selections) == 0)
	}
}

// The validator counts the selections of a subscription, not what they come to.
func TestASubscriptionHasOneField(t *testing.T) {
	f := serve(t)
	for _, query := range []string{
		`subscription { count(to: 1) a: count(to: 1) }`,
		`subscription { count(to: 1) @skip(if: true) }`,
	} {
		_, answer := f.post(t, `{"query":`+quote(query)+`}`, "Authorization", "Bearer ann")
		require.Contains(t, answer, "GRAPHQL_VALIDATION_FAILED", query)
	}
}

// A variable with a default may stand where there must be a condition, and be null all the same.
func TestWhatIsSelectedDependsOnNoNull(t *testing.T) {
	f := serve(t)
	for _, document := range []string{
		`query($on: Boolean = true) { who @include(if: $on) }`,
		`query($on: Boolean = true) { ... @skip(if: $on) { who } }`,
		`query($on: Boolean = true) { ...a } fragment a on Query { ...b @skip(if: $on) } fragment b on Query { who }`,
		`subscription($on: Boolean = true) { count(to: 1) @include(if: $on) }`,
	} {
		for range 2 { // a new document, and a known one
			_, answer := f.post(t, `{"query":`+quote(document)+`,"variables":{"on":null}}`)
			require.Contains(t, answer, "GRAPHQL_VALIDATION_FAILED", document)
			require.Contains(t, answer, "a variable that is null", document)
		}
		_, answer := f.post(t, `{"query":`+quote(document)+`}`)
		require.NotContains(t, answer, "GRAPHQL_VALIDATION_FAILED", document)
	}
	_, answer := f.post(t, `{"query":`+quote(`mutation($text: String = "a") { record(text: $text) }`)+`,"variables":{"text":null}}`)
	require.NotContains(t, answer, "GRAPHQL_VALIDATION_FAILED", "other nulls are for the resolvers")
}
