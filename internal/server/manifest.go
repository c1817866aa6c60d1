package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// codeNotInList is the code of a document that is not in the manifest: Apollo's name for it.
const codeNotInList = "PERSISTED_QUERY_NOT_IN_LIST"

// apolloFormat is what Apollo's tools write into the manifests that they make.
const apolloFormat = "apollo-persisted-query-manifest"

// Manifest is the documents that alone are executed. A request names one by its hash, as with automatic persisted queries, or holds its
// very text.
type Manifest struct {
	byHash map[string]string
	texts  map[string]struct{}
}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationParameterMutator
} = (*Manifest)(nil)

// ReadManifest reads a file of documents: what Apollo's generate-persisted-query-manifest writes, or one JSON object of hashes and documents.
func ReadManifest(path string) (*Manifest, error) {
	raw, err := os.ReadFile(path) //nolint:gosec // the operator's
	if err != nil {
		return nil, err
	}
	documents, err := parseManifest(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return documents, nil
}

func parseManifest(raw []byte) (*Manifest, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, fmt.Errorf("not a JSON object: %w", err)
	}
	m := &Manifest{byHash: make(map[string]string), texts: make(map[string]struct{})}
	if _, ok := members["format"]; ok {
		return m, m.addApollo(raw)
	}
	for hash, member := range members {
		var text string
		if err := json.Unmarshal(member, &text); err != nil {
			return nil, fmt.Errorf("the document of %q is not a text", hash)
		}
		if err := m.add(hash, text); err != nil {
			return nil, err
		}
	}
	return m, m.check()
}

func (m *Manifest) addApollo(raw []byte) error {
	var file struct {
		Format     string
		Version    int
		Operations []struct{ ID, Body string }
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return fmt.Errorf("not a manifest: %w", err)
	}
	if file.Format != apolloFormat || file.Version != 1 {
		return fmt.Errorf("format %q, version %d is not known; it must be %q, version 1", file.Format, file.Version, apolloFormat)
	}
	for _, o := range file.Operations {
		if err := m.add(o.ID, o.Body); err != nil {
			return err
		}
	}
	return m.check()
}

func (m *Manifest) add(hash, text string) error {
	if hash == "" || text == "" {
		return errors.New("an operation without a hash or without a document")
	}
	if _, twice := m.byHash[hash]; twice {
		return fmt.Errorf("two documents of the hash %q", hash)
	}
	m.byHash[hash] = text
	m.texts[text] = struct{}{}
	return nil
}

func (m *Manifest) check() error {
	if len(m.byHash) == 0 {
		return errors.New("no documents")
	}
	return nil
}

// checkAll has each document checked.
func (m *Manifest) checkAll(check func(text string) error) error {
	for hash, text := range m.byHash {
		if err := check(text); err != nil {
			return fmt.Errorf("the document of %q: %w", hash, err)
		}
	}
	return nil
}

// ExtensionName names the extension in gqlgen's statistics.
func (*Manifest) ExtensionName() string { return "Manifest" }

// Validate has nothing to check.
func (*Manifest) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationParameters puts the document in the place of its hash, and refuses what is not in the list.
func (m *Manifest) MutateOperationParameters(_ context.Context, params *graphql.RawParams) *gqlerror.Error {
	if params.Query == "" {
		params.Query = m.byHash[hashIn(params.Extensions)]
	}
	if _, listed := m.texts[params.Query]; listed {
		return nil
	}
	err := gqlerror.Errorf("this server executes only the documents of its list, and this is none of them")
	errcode.Set(err, codeNotInList)
	return err
}

// hashIn is the hash that a request asks by; empty if it doesn't.
func hashIn(extensions map[string]any) string {
	persisted, _ := extensions["persistedQuery"].(map[string]any)
	hash, _ := persisted["sha256Hash"].(string)
	return hash
}
