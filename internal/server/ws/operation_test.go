package ws

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestQuery(t *testing.T) {
	c := serve(t, Config{}).connect(t, "ann")
	c.send(`{"id":"\"x\\","type":"subscribe","payload":{
		"query":"query A { who } query B { fail }","operationName":"B","variables":null,"extensions":{"a":1}}}`)
	c.expectNext(`"x\`, `{"data":{"fail":null},"errors":[{"message":"it failed","path":["fail"],"extensions":{"code":"BAD_USER_INPUT"}}]}`)
	c.expectComplete(`"x\`)
}

func TestSubscriptionEventsInOrder(t *testing.T) {
	c := serve(t, Config{Queue: 1}).connect(t, "ann")
	c.send(`{"id":"1","type":"subscribe","payload":{
		"query":"subscription($to: Int) { count(to: $to) }","variables":{"to":500}}}`)
	for n := 1; n <= 500; n++ {
		c.expectNext("1", fmt.Sprintf(`{"data":{"count":%d}}`, n))
	}
	c.expectComplete("1")
	c.subscribe("1", `{ who }`) // the id is free again
	c.expectNext("1", `{"data":{"who":"ann"}}`)
	c.expectComplete("1")
}

func TestInvalidOperationIsAnErrorAndNothingElse(t *testing.T) {
	c := serve(t, Config{}).connect(t, "ann")
	for query, code := range map[string]string{
		`{ who`:                         "GRAPHQL_PARSE_FAILED",
		`{ nobody }`:                    "GRAPHQL_VALIDATION_FAILED",
		``:                              "GRAPHQL_VALIDATION_FAILED",
		`query($n: Int!) { who }`:       "GRAPHQL_VALIDATION_FAILED",
		`mutation { record(text: 1) }`:  "GRAPHQL_VALIDATION_FAILED",
		`subscription { a: who }`:       "GRAPHQL_VALIDATION_FAILED",
		`subscription { count(to: x) }`: "GRAPHQL_VALIDATION_FAILED",
	} {
		c.subscribe("1", query)
		require.Contains(t, c.expectErrors("1"), code, query)
	}
	c.subscribe("1", `{ who }`)
	c.expectNext("1", `{"data":{"who":"ann"}}`)
	c.expectComplete("1")
}

// Case 25 (docs/cases.md): a subscription that is denied ends after one error.
func TestDeniedSubscription(t *testing.T) {
	c := serve(t, Config{}).connect(t, "ann")
	c.subscribe("1", `subscription { denied }`)
	c.expectNext("1", `{"data":null,"errors":[{"message":"denied","extensions":{"code":"BAD_USER_INPUT"}}]}`)
	c.expectComplete("1")
	c.send(`{"type":"ping"}`)
	c.expect(`{"type":"pong"}`)
}

// Case 31 (docs/cases.md): an error inside an event is in that event, with its path.
func TestNestedError(t *testing.T) {
	c := serve(t, Config{}).connect(t, "ann")
	c.subscribe("1", `subscription { nested }`)
	c.expectNext("1", `{"data":{"nested":["a",null]},"errors":[{"message":"inner","path":["nested",1],"extensions":{"code":"BAD_USER_INPUT"}}]}`)
	c.expectComplete("1")
}

func TestPanic(t *testing.T) {
	c := serve(t, Config{}).connect(t, "ann")
	c.subscribe("1", `{ panics }`)
	require.Equal(t, []string{"INTERNAL"}, c.expectErrors("1"))
	c.subscribe("1", `subscription { panics }`)
	c.expectNext("1", `{"data":{"panics":1}}`)
	require.Equal(t, []string{"INTERNAL"}, c.expectErrors("1"))
	c.subscribe("1", `{ who }`)
	c.expectNext("1", `{"data":{"who":"ann"}}`)
}

// Case 30 (docs/cases.md): a second operation of the same id must not hide the first.
func TestDuplicateID(t *testing.T) {
	f := serve(t, Config{})
	c := f.connect(t, "ann")
	c.subscribe("1", `subscription { tick }`)
	c.subscribe("1", `{ who }`)
	c.expectClose(4409)
	f.expectGone(t, patience)
}

func TestCompleteCancelsAtOnce(t *testing.T) {
	f := serve(t, Config{})
	c := f.connect(t, "ann")
	fastest := patience // of several, since a busy machine may delay any of them
	for range 5 {
		c.subscribe("1", `subscription { tick }`)
		c.subscribe("2", `{ wait }`)
		require.Eventually(t, func() bool { return f.schema.Streaming() == 1 }, patience, time.Millisecond)
		begin := time.Now()
		c.complete("1")
		c.complete("2")
		require.Eventually(t, func() bool { return f.schema.Streaming() == 0 }, patience, time.Millisecond)
		fastest = min(fastest, time.Since(begin))
	}
	require.Less(t, fastest, 100*time.Millisecond)

	c.complete("1") // crossed with the server's own: nothing to do
	c.subscribe("1", `{ who }`)
	c.expectNext("1", `{"data":{"who":"ann"}}`) // and nothing more of those before
	c.expectComplete("1")
}

// After the client has completed an operation its id may be used again at once, and events of the first that
// are still queued must not be taken for the second's.
func TestCompletedOperationSaysNoMore(t *testing.T) {
	f := serve(t, Config{Queue: 256})
	c := f.connect(t, "ann")
	for range 50 {
		c.subscribe("1", `subscription { count }`)
		c.expectNext("1", `{"data":{"count":1}}`)
		c.complete("1")
		c.subscribe("1", `{ who }`)
		for {
			data, err := c.read()
			require.NoError(t, err)
			if string(data) == `{"type":"next","id":"1","payload":{"data":{"who":"ann"}}}` {
				break
			}
			require.Contains(t, string(data), `"count"`) // sent before the server had read `complete`
		}
		c.expectComplete("1")
	}
}

func TestMutationsOfOneSocketRunInOrder(t *testing.T) {
	f := serve(t, Config{})
	var mu sync.Mutex
	var texts []string
	first := make(chan struct{})
	f.schema.Record = func(ctx context.Context, text string) {
		if text == "0" {
			select {
			case <-first:
			case <-ctx.Done():
			}
		}
		mu.Lock()
		defer mu.Unlock()
		texts = append(texts, text)
	}
	c := f.connect(t, "ann")
	for n := range 20 {
		c.subscribe(fmt.Sprint(n), fmt.Sprintf(`mutation { record(text: "%d") }`, n))
	}
	c.complete("7")
	c.subscribe("q", `{ who }`) // a query need not wait for them
	c.expectNext("q", `{"data":{"who":"ann"}}`)
	c.expectComplete("q")
	close(first)
	want := []string{}
	for n := range 20 {
		if n == 7 {
			continue
		}
		id := fmt.Sprint(n)
		want = append(want, id)
		c.expectNext(id, `{"data":{"record":"`+id+`"}}`)
		c.expectComplete(id)
	}
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, want, texts)
}

func TestMaxOperations(t *testing.T) {
	f := serve(t, Config{MaxOperations: 2})
	c := f.connect(t, "ann")
	c.subscribe("1", `subscription { tick }`)
	c.subscribe("2", `subscription { tick }`)
	c.subscribe("3", `{ who }`)
	require.Equal(t, []string{"RATE_LIMITED"}, c.expectErrors("3"))
	c.complete("2")
	c.subscribe("3", `{ who }`)
	c.expectNext("3", `{"data":{"who":"ann"}}`)
	c.expectComplete("3")
}
