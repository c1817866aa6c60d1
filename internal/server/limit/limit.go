// Package limit says how much one request may bring, whatever transport brings it. docs/limits.md says
// what each limit is for, and what it costs to refuse what is beyond it.
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
)

// What a document may hold. The text is counted before it is parsed.
const (
	// DocumentBytes is the most bytes of a document.
	DocumentBytes = 64 << 10
	// DocumentTokens is the most tokens of a document: 500 ids fit, written into it.
	DocumentTokens = 2000
	// TrustedBytes and TrustedTokens are the same for SERVICE and ADMIN, who may write 1,000 heartbeats into a document.
	TrustedBytes  = 256 << 10
	TrustedTokens = 15_000
	// Names is the most names outside of arguments: fields, aliases, types, fragments, directives.
	Names = 700
	// Aliases is the most aliases.
	Aliases = 100
	// Directives is the most directives.
	Directives = 50
	// Spreads is the most fragments that are spread, named or inline.
	Spreads = 60
	// Braces is how deep selections may be nested in the text; what GraphiQL asks of the schema is nested 16 deep.
	Braces = 25
	// Definitions is the most operations and fragments together.
	Definitions = 40
	// Visits is the most selections that validation visits: it enters a fragment from each definition that reaches it.
	Visits = 3000
	// Comparisons is the most comparisons that validation makes to tell whether fields of the same name can be merged.
	Comparisons = 8000
	// Errors is how many errors of validation a client is told.
	Errors = 10
)

// What an operation may come to, its fragments counted wherever they are spread.
const (
	// Selections is the most selections.
	Selections = 10_000
	// Depth is how deep fields may be nested, those of the schema itself apart, for which [MetaDepth] is the limit.
	Depth     = 12
	MetaDepth = 20
	// Cost is what an operation may cost: the fields of its answer, those of lists multiplied by their lengths. A page of 500 users with all
	// of their details costs 9,000.
	Cost = 20_000
)
