// Package limit says how much one request may bring, whatever transport brings it.
package limit

// The sizes of requests: a POST's body, a GET's query string, a message of a WebSocket.
const (
	// Request is the most bytes of a request: 500 ids of 120 bytes fit.
	Request = 64 << 10
	// Heartbeats is the most bytes of a request of a SERVICE's or ADMIN's that does nothing but the mutation
	// `heartbeats`: 1,000 of them with long ids fit.
	Heartbeats = 1 << 20
	// Anonymous is the most bytes of a request without a token, which can only ask for the schema: GraphiQL does
	// so in two KiB. What an operation costs before its caller is looked at, parsing and validation, stays small
	// with it.
	Anonymous = 8 << 10
	// DocumentTokens is the most tokens of a document: 1,000 heartbeats fit even if they are written into it.
	DocumentTokens = 15_000
	// Selections is the most fields that an operation may select, each fragment counted wherever it is spread.
	Selections = 10_000
)
