package operation

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"
)

const types = `
scalar Time
enum Colour {RED GREEN}
input Filter {colour: Colour least: Int = 1 at: Time}
input Beat {user: ID! device: String! filter: Filter active: Boolean = true tags: [Int!]}
type Query {all(id: ID, ids: [ID!], nested: [[Int]], beat: Beat, beats: [Beat!], least: Int, ratio: Float, on: Boolean, colour: Colour, at: Time, text: String): Int}
`

const document = `query($id: ID, $ids: [ID!]!, $nested: [[Int]], $beat: Beat, $beats: [Beat!], $least: Int = 3, $most: Int!, $ratio: Float, $on: Boolean!, $colour: Colour, $at: Time, $text: String) {
	a: all(id: $id, ids: $ids, nested: $nested, beat: $beat, beats: $beats, least: $least, ratio: $ratio, on: $on, colour: $colour, at: $at, text: $text) b: all(least: $most)}`

func prepared(t *testing.T) (*ast.Schema, *ast.OperationDefinition) {
	t.Helper()
	schema, err := gqlparser.LoadSchema(&ast.Source{Input: types})
	require.NoError(t, err)
	query, errs := gqlparser.LoadQueryWithRules(schema, document, nil)
	require.Empty(t, errs)
	return schema, query.Operations[0]
}

func decoded(t *testing.T, text string) (values map[string]any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&values))
	return values
}

func TestPlainVariables(t *testing.T) {
	schema, op := prepared(t)
	for name, tt := range map[string]struct {
		sent  string
		plain bool
	}{
		"all": {`{"id": "a", "ids": ["a", "b"], "nested": [[1, null], null], "beat": {"user": "a", "device": "d", "filter": {"colour": "RED", "least": 2}, "tags": [1]},
			"beats": [{"user": "a", "device": "d", "active": null}, {"user": "b", "device": "d", "active": false}], "least": 7, "most": 8, "on": true, "colour": "GREEN", "text": "x"}`, true},
		"what must be":            {`{"ids": [], "least": 7, "most": 8, "on": true}`, true},
		"nulls":                   {`{"id": null, "ids": [], "beat": null, "least": null, "most": 8, "on": true}`, true},
		"more than is defined":    {`{"ids": [], "least": 7, "most": 8, "on": true, "other": {}}`, true},
		"a default":               {`{"ids": [], "most": 8, "on": true}`, false},
		"none of what must be":    {`{"least": 7, "most": 8, "on": true}`, false},
		"null of what must be":    {`{"ids": [null], "least": 7, "most": 8, "on": true}`, false},
		"one in place of a list":  {`{"ids": "a", "least": 7, "most": 8, "on": true}`, false},
		"a number for an id":      {`{"ids": [1], "least": 7, "most": 8, "on": true}`, false},
		"a fraction for an Int":   {`{"ids": [], "least": 7.5, "most": 8, "on": true}`, false},
		"an unknown field":        {`{"ids": [], "least": 7, "most": 8, "on": true, "beat": {"user": "a", "device": "d", "x": 1}}`, false},
		"a field that is missing": {`{"ids": [], "least": 7, "most": 8, "on": true, "beat": {"user": "a"}}`, false},
		"an unknown value":        {`{"ids": [], "least": 7, "most": 8, "on": true, "colour": "red"}`, false},
		"another scalar":          {`{"ids": [], "least": 7, "most": 8, "on": true, "at": "now"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			values, plain := variables(schema, op.VariableDefinitions, decoded(t, tt.sent))
			require.Equal(t, tt.plain, plain)
			if !plain {
				return
			}
			want, err := validator.VariableValues(schema, op, decoded(t, tt.sent))
			require.NoError(t, err)
			require.Equal(t, want, values)
		})
	}
}

// Whatever is taken for plain has the values that gqlparser gives it, which is how gqlgen would go on with it.
func TestPlainVariablesAreAsGqlparserHasThem(t *testing.T) {
	schema, op := prepared(t)
	random := rand.New(rand.NewPCG(1, 2))
	plains := 0
	for range 50_000 {
		text, err := json.Marshal(randomVariables(random, schema, op))
		require.NoError(t, err)
		values, plain := variables(schema, op.VariableDefinitions, decoded(t, string(text)))
		if !plain {
			continue
		}
		plains++
		want, err := validator.VariableValues(schema, op, decoded(t, string(text)))
		require.NoError(t, err, "%s", text)
		require.Equal(t, want, values, "%s", text)
	}
	require.Greater(t, plains, 1000)
}

// randomVariables are right for the most part.
func randomVariables(random *rand.Rand, schema *ast.Schema, op *ast.OperationDefinition) map[string]any {
	sent := map[string]any{}
	for _, d := range op.VariableDefinitions {
		if d.Type.NonNull || random.IntN(2) == 0 {
			sent[d.Variable] = randomValue(random, schema, d.Type)
		}
	}
	return sent
}

func randomValue(random *rand.Rand, schema *ast.Schema, t *ast.Type) any {
	if random.IntN(60) == 0 {
		return []any{nil, "text", 1, 1.5, true, []any{}, []any{nil}, map[string]any{}, map[string]any{"x": 1}, "99999999999999999999"}[random.IntN(10)]
	}
	if t.Elem != nil {
		list := make([]any, random.IntN(3))
		for i := range list {
			list[i] = randomValue(random, schema, t.Elem)
		}
		return list
	}
	switch d := schema.Types[t.NamedType]; d.Kind {
	case ast.InputObject:
		fields := map[string]any{}
		for _, f := range d.Fields {
			if f.Type.NonNull || random.IntN(2) == 0 {
				fields[f.Name] = randomValue(random, schema, f.Type)
			}
		}
		return fields
	case ast.Enum:
		return d.EnumValues[random.IntN(len(d.EnumValues))].Name
	}
	switch t.NamedType {
	case "Int":
		return random.Int64()
	case "Float":
		return random.Float64()
	case "Boolean":
		return random.IntN(2) == 0
	}
	return "text"
}
