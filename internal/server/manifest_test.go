package server

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"rollcall/internal/server/servertest"
)

// listed is in the list of the tests, by its hash and by a name.
const listed = `{ who }`

func manifestFile(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "manifest.json")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestOnlyListedDocumentsAreExecuted(t *testing.T) {
	for format, content := range map[string]string{
		"Apollo": `{"format":"apollo-persisted-query-manifest","version":1,"operations":[` +
			`{"id":"` + hashOf(listed) + `","name":"A","type":"query","body":"{ who }"},{"id":"b","name":"B","type":"query","body":"{ b: who }"}]}`,
		"plain": `{"` + hashOf(listed) + `":"{ who }","b":"{ b: who }"}`,
	} {
		only, err := ReadManifest(manifestFile(t, content))
		require.NoError(t, err)
		f := serveWith(t, func(o *Options) { o.Only = only })
		for name, ask := range askers() {
			t.Run(format+" "+name, func(t *testing.T) {
				const answer = `{"data":{"who":"ann"}}`
				require.JSONEq(t, answer, ask(t, f, "", byHash(hashOf(listed))))
				require.JSONEq(t, answer, ask(t, f, "", byHash("b")))
				require.JSONEq(t, answer, ask(t, f, listed, `{}`), "its very text")
				const other = `{ __typename }`
				for _, refused := range []string{
					ask(t, f, other, `{}`), ask(t, f, other, byHash(hashOf(other))), ask(t, f, other, byHash(hashOf(listed))),
					ask(t, f, "", byHash(hashOf(other))), ask(t, f, "", `{}`),
				} {
					require.Contains(t, refused, `"extensions":{"code":"PERSISTED_QUERY_NOT_IN_LIST"}`)
				}
			})
		}
	}
}

func TestBrokenManifests(t *testing.T) {
	_, err := ReadManifest(filepath.Join(t.TempDir(), "none.json"))
	require.ErrorIs(t, err, os.ErrNotExist)
	for content, told := range map[string]string{
		``:         "not a JSON object",
		`[]`:       "not a JSON object",
		`{}`:       "no documents",
		`{"a":1}`:  `the document of "a" is not a text`,
		`{"a":""}`: "without a document",
		`{"format":"relay","version":1,"operations":[]}`:                                                                                  `format "relay"`,
		`{"format":"apollo-persisted-query-manifest","version":2,"operations":[]}`:                                                        "version 2",
		`{"format":"apollo-persisted-query-manifest","version":1,"operations":{}}`:                                                        "not a manifest",
		`{"format":"apollo-persisted-query-manifest","version":1,"operations":[]}`:                                                        "no documents",
		`{"format":"apollo-persisted-query-manifest","version":1,"operations":[{"body":"{ who }"}]}`:                                      "without a hash",
		`{"format":"apollo-persisted-query-manifest","version":1,"operations":[{"id":"a","body":"{ who }"},{"id":"a","body":"{ who }"}]}`: `two documents of the hash "a"`,
	} {
		_, err := ReadManifest(manifestFile(t, content))
		require.ErrorContains(t, err, told, content)
	}

	only, err := ReadManifest(manifestFile(t, `{"a":"{ whom }"}`))
	require.NoError(t, err)
	_, err = NewHandler(servertest.NewSchema(), Options{Only: only})
	require.ErrorContains(t, err, `the document of "a"`)
}
