package server

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// The validator counts the selections of a subscription, not what they come to.
func TestASubscriptionHasOneField(t *testing.T) {
	f := serve(t)
	for _, query := range []string{
		`subscription { count(to: 1) a: count(to: 1) }`,
		`subscription { count(to: 1) @skip(if: true) }`,
	} {
		_, answer := f.post(t, `{"query":`+quote(query)+`}`)
		require.Contains(t, answer, "GRAPHQL_VALIDATION_FAILED", query)
	}
}

func TestIntrospectionCanBeOff(t *testing.T) {
	f := serveWith(t, func(o *Options) { o.Introspection = false })
	for query, refused := range map[string]bool{
		`{ __schema { queryType { name } } }`:                               true,
		`{ who a: __type(name: "Query") { name } }`:                         true,
		`{ ... { ...F } } fragment F on Query { __schema { description } }`: true,
		`{ who __typename }`:                                                false,
	} {
		for name, ask := range askers() {
			answer := ask(t, f, query, `{}`)
			if refused {
				require.Contains(t, answer, `introspection is disabled`, name)
				require.Contains(t, answer, `GRAPHQL_VALIDATION_FAILED`, name)
			} else {
				require.JSONEq(t, `{"data":{"who":"ann"}}`, answer, name)
			}
		}
	}
}

func TestSuggestionsAreOffUnlessAsked(t *testing.T) {
	const query = `{"query":"{ whoo }"}`
	_, answer := serve(t).post(t, query)
	require.Contains(t, answer, `Cannot query field`)
	require.NotContains(t, answer, `Did you mean`)
	_, answer = serveWith(t, func(o *Options) { o.Suggestions = true }).post(t, query)
	require.Contains(t, answer, `Did you mean \"who\"`)
}

// What an operation costs is charged before it is executed, over all transports.
func TestOperationsAreCharged(t *testing.T) {
	left := 0
	f := serveWith(t, func(o *Options) {
		o.Charge = func(_ context.Context, cost int) error {
			if left -= cost; left < 0 {
				return &presence.RateLimitedError{Message: "too much", RetryAfter: 1500}
			}
			return nil
		}
	})
	for name, ask := range askers() {
		left = 2
		require.JSONEq(t, `{"data":{"who":"ann"}}`, ask(t, f, `{ who a: who }`, `{}`), name)
		answer := ask(t, f, `{ who }`, `{}`)
		require.Contains(t, answer, `"code":"RATE_LIMITED"`, name)
		require.Contains(t, answer, `"retryAfterMs":`, name)
		require.NotContains(t, answer, `data":{`, name)
	}
}

// No hostile document reaches a resolver, over any transport.
func TestHostileDocumentsAreRefusedByAllTransports(t *testing.T) {
	f := serve(t)
	for name, ask := range askers() {
		if strings.HasPrefix(name, "GET") {
			continue // a query string has no room for them
		}
		for _, query := range []string{
			`{ who ` + strings.Repeat(`@a `, 10_000) + `}`,
			`{ ` + strings.Repeat(`a: who `, 500) + `}`,
			`{ ` + strings.Repeat(`who `, 500) + `}`,
			`{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }`,
		} {
			require.Regexp(t, `GRAPHQL_(PARSE|VALIDATION)_FAILED`, ask(t, f, query, `{}`), name)
		}
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
