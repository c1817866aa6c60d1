// Package servertest has a small executable schema, without generated code, and callers for the tests of the
// server's packages.
package servertest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"rollcall/internal/auth"
	"rollcall/internal/presence"
	"rollcall/internal/pulse"
)

const definition = `
type Query {
  "The caller's id; null for an anonymous one."
  who: String
  "Null, with an error."
  fail: String
  "Panics where gqlgen does not guard."
  panics: String
  "Answers when the context ends."
  wait: String
}
type Mutation {
  "Calls the schema's Record."
  record(text: String!): String!
  "Null."
  heartbeats(input: [String!]!): String
}
type Subscription {
  "1 to the given number, then ends; without one it goes on for ever."
  count(to: Int): Int!
  "The strings that are sent to the schema's Ticks."
  tick: String!
  "The beats of the connection's pulse, counted."
  pulse: Int!
  "For ever strings of so many bytes."
  large(bytes: Int!): String!
  "One event with an error inside it."
  nested: [String]
  "Ends with an error before the first event."
  denied: Int!
  "One event, then a panic where gqlgen does not guard."
  panics: Int!
  "What the schema's News tells; its answer says for whom it was made."
  news: String!
  "The same, made for each caller."
  ownNews: String!
  "The same as news, without what says the same as before."
  latestNews: String!
}`

// Schema is an executable schema.
type Schema struct {
	// Ticks are the events of `tick`.
	Ticks chan string
	// News are the events of `news`.
	News News
	// Record is what the mutation `record` does.
	Record func(ctx context.Context, text string)

	parsed            *ast.Schema
	streaming, events atomic.Int64
}

var _ graphql.ExecutableSchema = (*Schema)(nil)

// NewSchema makes a schema.
func NewSchema() *Schema {
	return &Schema{
		Ticks:  make(chan string),
		Record: func(context.Context, string) {},
		parsed: gqlparser.MustLoadSchema(&ast.Source{Input: definition}),
	}
}

// Streaming is how many subscriptions are running.
func (s *Schema) Streaming() int { return int(s.streaming.Load()) }

// Events is how many events all subscriptions have had.
func (s *Schema) Events() int64 { return s.events.Load() }

// Schema is the schema's definition.
func (s *Schema) Schema() *ast.Schema { return s.parsed }

// Complexity is not known.
func (s *Schema) Complexity(context.Context, string, string, int, map[string]any) (int, bool) {
	return 0, false
}

// Exec executes the first field of the operation.
func (s *Schema) Exec(ctx context.Context) graphql.ResponseHandler {
	op := graphql.GetOperationContext(ctx)
	field, ok := op.Operation.SelectionSet[0].(*ast.Field)
	if !ok || strings.HasPrefix(field.Name, "__") {
		return graphql.OneShot(&graphql.Response{Data: []byte(`{"meta":true}`)})
	}
	args := field.ArgumentMap(op.Variables)
	if op.Operation.Operation == ast.Subscription {
		return s.subscribe(ctx, field.Name, args)
	}
	done := false
	return func(ctx context.Context) *graphql.Response {
		if done {
			return nil
		}
		done = true
		return data(nil, field.Name, s.resolve(ctx, field.Name, args))
	}
}

func (s *Schema) resolve(ctx context.Context, field string, args map[string]any) any {
	switch field {
	case "who":
		if caller, err := auth.FromContext(ctx); err == nil {
			return caller.ID
		}
	case "fail":
		graphql.AddError(ctx, gqlerror.WrapPath(ast.Path{ast.PathName("fail")}, presence.Invalid("it failed")))
	case "panics":
		panic("at the disco")
	case "wait":
		<-ctx.Done()
	case "record":
		s.Record(ctx, args["text"].(string))
		return args["text"]
	}
	return nil
}

// subscribe runs a subscription. As generated code does, it writes every event into the same buffer.
func (s *Schema) subscribe(ctx context.Context, field string, args map[string]any) graphql.ResponseHandler {
	if field == "denied" {
		graphql.AddError(ctx, presence.Invalid("denied"))
		return nil
	}
	if strings.HasSuffix(strings.ToLower(field), "news") {
		return s.subscribeToNews(ctx, field)
	}
	s.streaming.Add(1)
	context.AfterFunc(ctx, func() { s.streaming.Add(-1) })
	var beats <-chan struct{}
	if p := pulse.FromContext(ctx); p != nil && field == "pulse" {
		listen, stop := p.Listen()
		beats = listen
		context.AfterFunc(ctx, stop)
	}
	var buf []byte
	n := int64(0)
	return func(ctx context.Context) *graphql.Response {
		n++
		value, more := s.event(ctx, field, args, beats, n)
		if !more || ctx.Err() != nil {
			return nil
		}
		s.events.Add(1)
		response := data(buf, field, value)
		buf = response.Data
		return response
	}
}

// event is the n-th event of a subscription; false is its end.
func (s *Schema) event(
	ctx context.Context, field string, args map[string]any, beats <-chan struct{}, n int64,
) (value any, more bool) {
	switch field {
	case "count":
		to, bounded := args["to"].(int64)
		return n, !bounded || n <= to
	case "tick":
		select {
		case tick := <-s.Ticks:
			return tick, true
		case <-ctx.Done():
			return nil, false
		}
	case "pulse":
		select {
		case <-beats:
			return n, true
		case <-ctx.Done():
			return nil, false
		}
	case "large":
		return strings.Repeat("x", int(args["bytes"].(int64))), true
	case "nested":
		path := ast.Path{ast.PathName("nested"), ast.PathIndex(1)}
		graphql.AddError(ctx, gqlerror.WrapPath(path, presence.Invalid("inner")))
		return []any{"a", nil}, n == 1
	default: // panics
		if n > 1 {
			panic("at the disco")
		}
		return n, true
	}
}

// data is a response with one field, in the memory of buf.
func data(buf []byte, field string, value any) *graphql.Response {
	encoded, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return &graphql.Response{Data: fmt.Appendf(buf[:0], `{%q:%s}`, field, encoded)}
}
