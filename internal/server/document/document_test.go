package document

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"

	"rollcall/internal/auth"
)

// none keeps no documents.
type none struct{}

func (none) Get(context.Context, string) (*ast.QueryDocument, bool) { return nil, false }

func (none) Add(context.Context, string, *ast.QueryDocument) {}

// each is one for a field.
func each(*ast.Field, map[string]any, int) (own, times, below int) { return 1, 1, 0 }

// Case 28 (docs/cases.md) and its kin.
func TestHostileDocumentsAreRefused(t *testing.T) {
	reader := NewReader(testSchema(), none{}, false)
	for name, text := range hostile() {
		t.Run(name, func(t *testing.T) {
			document, errs := reader.Read(t.Context(), text)
			if len(errs) == 0 {
				_, err := Cost(document.Operations[0], nil, each)
				require.NotNil(t, err)
				errs = append(errs, err)
			}
			require.LessOrEqual(t, len(errs), 10)
			for _, err := range errs {
				require.Contains(t, []any{"GRAPHQL_PARSE_FAILED", "GRAPHQL_VALIDATION_FAILED"}, err.Extensions["code"])
				require.NotContains(t, err.Message, "Did you mean")
			}
			require.Less(t, len(errs[0].Message), 2000)
		})
	}
}

// What people write is not refused.
func TestUsualDocumentsAreRead(t *testing.T) {
	reader := NewReader(testSchema(), none{}, true)
	ids := numbered(500, `"user-%d" `)
	beats := numbered(1000, `{userId: "user-%d", deviceId: "3b241101-e2bb-4255-8caf-4136c566a962", session: "AQAAAAAAAAAAAAAAAAAAAAA"} `)
	for name, text := range map[string]string{
		"introspection":          introspection,
		"500 ids":                `{ users(ids: [` + ids + `]) { id name friend { id } } }`,
		"users by aliases":       `{` + numbered(100, `a%d: users(ids: ["1"]) { id name presence { status } } `) + `}`,
		"fragments in a row":     `{ me { ...F0 } }` + chain(20, 3, 1),
		"fragments in a list":    `{ me {` + numbered(20, ` ...F%d`) + `} }` + numbered(20, ` fragment F%d on User { id name presence { status } }`),
		"punctuation in strings": `{ users(ids: ["` + strings.Repeat(`{(@:...`, 500) + `"]) { id } } # ` + strings.Repeat(`@`, 500),
		"block strings":          `{ users(ids: ["""a " \""" @@@ """]) { id } }`,
	} {
		_, errs := reader.Read(t.Context(), text)
		require.Empty(t, errs, name)
	}
	batch := `mutation { beats(input: [` + beats + `]) }`
	_, errs := reader.Read(t.Context(), batch)
	require.Equal(t, "GRAPHQL_PARSE_FAILED", errs[0].Extensions["code"])
	for _, role := range []auth.Role{auth.Service, auth.Admin} {
		_, errs = reader.Read(auth.WithCaller(t.Context(), auth.Caller{ID: "gate", Role: role}), batch)
		require.Empty(t, errs, role)
	}
}

func TestSuggestionsAreOptional(t *testing.T) {
	for _, text := range []string{`{ mee { id } }`, `{ users(id: []) { id } }`, `{ me }`} {
		_, with := NewReader(testSchema(), none{}, true).Read(t.Context(), text)
		_, without := NewReader(testSchema(), none{}, false).Read(t.Context(), text)
		require.Contains(t, with.Error(), "Did you mean", text)
		require.NotContains(t, without.Error(), "Did you mean", text)
		require.NotEmpty(t, without)
	}
}
