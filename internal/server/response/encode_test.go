package response_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"rollcall/internal/server/response"
)

func TestTheSameJSON(t *testing.T) {
	failed := gqlerror.List{
		{Message: "it <failed> with \"quotes\"\n", Path: ast.Path{ast.PathName("a"), ast.PathIndex(1)}, Extensions: map[string]any{"code": "X", "retryAfterMs": 5}},
		{Message: "twice", Locations: []gqlerror.Location{{Line: 1, Column: 2}}},
	}
	data := json.RawMessage(`{"a":[1,"\u2028 <é> ` + "\u2028" + `",null],"b":{}}`)
	for name, r := range map[string]*graphql.Response{
		"data":                  {Data: data},
		"no data":               {},
		"null":                  {Data: json.RawMessage(`null`)},
		"errors":                {Errors: failed},
		"no errors":             {Errors: gqlerror.List{}, Data: data},
		"data and errors":       {Errors: failed, Data: data},
		"extensions":            {Data: data, Extensions: map[string]any{"a": "<b>", "c": []int{1}}},
		"no extensions":         {Data: data, Extensions: map[string]any{}},
		"errors and extensions": {Errors: failed, Extensions: map[string]any{"a": nil}},
	} {
		t.Run(name, func(t *testing.T) {
			want, err := json.Marshal(r)
			require.NoError(t, err)
			got := response.Encode(r)
			require.JSONEq(t, string(want), string(got))
			require.Equal(t, members(t, want), members(t, got), "errors come first, as the specification advises")
			require.NotContains(t, string(got), "\n")
		})
	}
}

// members are the names of an object's members in their order.
func members(t *testing.T, object []byte) (names []string) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(object))
	_, err := decoder.Token()
	require.NoError(t, err)
	for decoder.More() {
		name, err := decoder.Token()
		require.NoError(t, err)
		names = append(names, name.(string))
		var value json.RawMessage
		require.NoError(t, decoder.Decode(&value))
	}
	return names
}

// A client would have to refuse all of a message that is not UTF-8.
func TestTextIsUTF8(t *testing.T) {
	broken := response.Encode(&graphql.Response{
		Data:   json.RawMessage("{\"name\":\"A\xffB\xc0\xaf\"}"),
		Errors: gqlerror.List{{Message: "\xff"}}, Extensions: map[string]any{"\xff": "\xff"},
	})
	require.True(t, utf8.Valid(broken))
	var decoded struct{ Data struct{ Name string } }
	require.NoError(t, json.Unmarshal(broken, &decoded))
	require.Equal(t, "A\uFFFDB\uFFFD", decoded.Data.Name)
}
