package resolvers_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"rollcall/graph"
	"rollcall/internal/keepalive"
	"rollcall/internal/presence"
)

func loadSchema(t *testing.T, path string) *ast.Schema {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: path, Input: string(text)})
	require.NoError(t, err)
	return schema
}

// TestSchemaKeepsTheContract compares the schema with the text that clients are
// written against. More may be in it, but nothing that a client would have to send.
func TestSchemaKeepsTheContract(t *testing.T) {
	contract, schema := loadSchema(t, "testdata/contract.graphqls"), loadSchema(t, "../schema.graphqls")
	for name, want := range contract.Types {
		t.Run(name, func(t *testing.T) {
			got := schema.Types[name]
			require.NotNil(t, got)
			require.Equal(t, want.Kind, got.Kind)
			require.Contains(t, got.Description, want.Description)
			for _, value := range want.EnumValues {
				require.NotNil(t, got.EnumValues.ForName(value.Name), value.Name)
			}
			for _, field := range want.Fields {
				sameField(t, field, got.Fields.ForName(field.Name))
			}
			if want.Kind == ast.InputObject {
				for _, field := range got.Fields {
					require.True(t, want.Fields.ForName(field.Name) != nil || optional(field.Type, field.DefaultValue), field.Name)
				}
			}
		})
	}
}

func sameField(t *testing.T, want, got *ast.FieldDefinition) {
	t.Helper()
	require.NotNil(t, got, want.Name)
	require.Equal(t, want.Type.String(), got.Type.String(), want.Name)
	require.Equal(t, want.DefaultValue.String(), got.DefaultValue.String(), want.Name)
	require.Contains(t, got.Description, want.Description)
	for _, arg := range want.Arguments {
		same := got.Arguments.ForName(arg.Name)
		require.NotNil(t, same, arg.Name)
		require.Equal(t, arg.Type.String(), same.Type.String(), arg.Name)
		require.Equal(t, arg.DefaultValue.String(), same.DefaultValue.String(), arg.Name)
	}
	for _, arg := range got.Arguments {
		require.True(t, want.Arguments.ForName(arg.Name) != nil || optional(arg.Type, arg.DefaultValue), arg.Name)
	}
}

func optional(typ *ast.Type, defaultValue *ast.Value) bool {
	return !typ.NonNull || defaultValue != nil
}

func TestEverythingIsDescribed(t *testing.T) {
	for name, object := range loadSchema(t, "../schema.graphqls").Types {
		if object.BuiltIn {
			continue
		}
		require.NotEmpty(t, object.Description, name)
		for _, value := range object.EnumValues {
			require.NotEmpty(t, value.Description, name+"."+value.Name)
		}
		for _, field := range object.Fields {
			if strings.HasPrefix(field.Name, "__") {
				continue
			}
			require.NotEmpty(t, field.Description, name+"."+field.Name)
			for _, arg := range field.Arguments {
				require.NotEmpty(t, arg.Description, name+"."+field.Name+"."+arg.Name)
			}
		}
	}
}

// TestEnumsAreTheDomainsWords covers the enums that the domain's strings are
// written as, without a table between.
func TestEnumsAreTheDomainsWords(t *testing.T) {
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	for enum, words := range map[string][]string{
		"OnlineOrder": words(presence.LastActiveDesc, presence.LastActiveAsc,
			presence.LevelDesc, presence.LevelAsc, presence.Unordered),
		"PresenceStatus":    words(presence.Online, presence.Away, presence.Offline),
		"HeartbeatOutcome":  words(presence.SignedIn, presence.Refreshed, presence.Resumed, presence.ReplacedOtherDevice),
		"PresenceEventType": words(presence.EventOnline, presence.EventOffline, presence.EventUpdated),
		"OfflineReason":     words(presence.SignedOut, presence.Expired, presence.Disconnected),
		"SessionEventType":  words(keepalive.Started, keepalive.Replaced, keepalive.Ended),
	} {
		var values []string
		for _, v := range schema.Types[enum].EnumValues {
			values = append(values, v.Name)
		}
		require.ElementsMatch(t, words, values, enum)
	}
}

func words[E ~string](values ...E) []string {
	var s []string
	for _, v := range values {
		s = append(s, string(v))
	}
	return s
}
