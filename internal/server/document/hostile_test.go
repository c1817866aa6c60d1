package document

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// definition has what hostile documents are made of.
const definition = `
type Query { me: User! users(ids: [ID!]!): [User]! page(first: Int = 50): Page! }
type Page { nodes: [User!]! totalCount: Int! }
type User { id: ID! name: String friend: User! presence: Presence! }
type Presence { user: User! status: String }
type Mutation { beats(input: [Beat!]!): Int }
input Beat { userId: ID! deviceId: ID! session: String }
`

func testSchema() *ast.Schema { return gqlparser.MustLoadSchema(&ast.Source{Input: definition}) }

// hostile are documents that cost much where nothing bounds them; each is refused. They are as large as they may be in
// everything but what they are refused for, or as bad as can be below the limits that are looked at first.
func hostile() map[string]string {
	all := map[string]string{
		"100k directives":      `{ me { id ` + strings.Repeat(`@a `, 100_000) + `} }`,
		"directives":           `{ me { id ` + strings.Repeat(`@a `, 20_000) + `} }`,
		"tokens":               `{` + strings.Repeat(` me { id }`, 2000) + `}`,
		"tokens in arguments":  `{ users(ids: [` + strings.Repeat(`"1" `, 3000) + `]) { id } }`,
		"bytes":                `{ me { id } } #` + strings.Repeat(`x`, 1<<20),
		"white space":          `{ me { id } }` + strings.Repeat(` `, 60<<10) + `x`,
		"aliases":              `{` + numbered(1000, `a%d: me { id } `) + `}`,
		"nested":               `{ me ` + strings.Repeat(`{ friend `, 1000) + strings.Repeat(`}`, 1000) + `}`,
		"nested through lists": `{ users(ids: ` + strings.Repeat(`[`, 900) + strings.Repeat(`]`, 900) + `) { id } }`,
		"same fields":          `{ me {` + strings.Repeat(` id`, 690) + `} }`,
		"same fields, nested":  `{` + strings.Repeat(` me { friend { id } }`, 200) + `}`,
		"fields unknown":       `{ me {` + numbered(90, ` a%d: y`) + numbered(500, ` x%d`) + `} }`,
		"arguments unknown":    `{ me(` + numbered(600, ` x%d: 1`) + `) { id } }`,
		"values of wrong type": `{ users(ids: [` + strings.Repeat(`{a: 1} `, 350) + `]) { id } }`,
		"variables":            `query(` + numbered(450, `$a%d: Int `) + `) { me { id } }`,
		"variables undefined":  `{ users(ids: [` + numbered(900, `$a%d `) + `]) { id } }`,
		"operations":           numbered(100, `query q%d { me { id } } `),
		"not closed":           strings.Repeat(`{me`, 20),
		"a string":             `"` + strings.Repeat(`\"`, 30_000),
		"a block string":       `"""` + strings.Repeat(`\"""`, 15_000),
		"cycle":                `{ me { ...A } } fragment A on User { friend { ...B } } fragment B on User { friend { ...A } }`,
		"no document":          ``,
	}
	const most = 30
	all["fragments in a row"] = `{ me { ...F0 } }` + chain(most, 24, 1)
	all["fragments doubling"] = `{ me { ...F0 } }` + chain(26, 1, 2)
	all["fragments beside each other"] = `{ me {` + numbered(most, ` ...F%d`) + `} }` + numbered(most, ` fragment F%d on User { id name friend { id name } }`)
	all["operations that share fragments"] = numbered(10, `query q%d { me { ...F0 } } `) + chain(20, 20, 1)
	return all
}

func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// chain is fragments of which each spreads the next one, so many times, beside fields.
func chain(fragments, fields, times int) string {
	var b strings.Builder
	for i := range fragments {
		fmt.Fprintf(&b, ` fragment F%d on User {`, i)
		b.WriteString(strings.Repeat(` name`, fields))
		if i < fragments-1 {
			for range times {
				fmt.Fprintf(&b, ` friend { ...F%d }`, i+1)
			}
		} else {
			b.WriteString(` id`)
		}
		b.WriteString(` }`)
	}
	return b.String()
}

// BenchmarkRefused refuses hostile documents: none may take a millisecond of a processor.
func BenchmarkRefused(b *testing.B) {
	reader := NewReader(testSchema(), none{}, false)
	for name, text := range hostile() {
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if document, errs := reader.Read(b.Context(), text); len(errs) == 0 {
					if _, err := Cost(document.Operations[0], nil, each); err == nil {
						b.Fatal("it was not refused")
					}
				}
			}
		})
	}
}
