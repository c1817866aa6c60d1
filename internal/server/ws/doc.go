// Package ws serves GraphQL over WebSocket by the graphql-transport-ws protocol
// (https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md).
//
// A socket has one goroutine of its own while it is idle, since it outlives the HTTP handler that has opened it, and one more for
// each operation that is being executed:
//
//	client ──▶ read ──▶ operation ──message──▶ outbox ──▶ crew ──▶ client
//	             └─▶ live subscription ──"there is something"──▶ crew: take, write ──▶ client
//
// What waits in the outboxes is written by a crew of few goroutines, all that there is at once, as far as the
// connection takes it without waiting; for a client that reads more slowly a goroutine waits. The messages of an outbox are
// bounded: when too many wait, operations do. Answers of live subscriptions ([rollcall/internal/live]) do not wait here at all:
// they are taken from their source when they can be written, which is how a slow reader is felt where
// the events come from. When nothing at all can be written for the write timeout, the socket is closed.
//
// Whoever finds a reason to close the socket ends the connection's context with it as the cause. That stops
// the operations at once; what is queued is still written, then the close frame, and after a short wait for
// the client's the connection is cut.
//
// # Close codes
//
// The protocol's own:
//
//	4400  a message or frame that the protocol does not know
//	4401  an operation before connection_init
//	4403  the token is not valid, or has expired: come back with another
//	4406  the client does not speak graphql-transport-ws
//	4408  connection_init did not come in time
//	4409  an operation of this id is running already
//	4429  connection_init came twice
//
// Those of WebSocket:
//
//	1009  the message is larger than the read limit
//	1011  the server has a defect
//	1012  the server is going down: come back, to another node or this one
//	1013  the client does not read, or does not answer pings; or its token can't be checked at the moment
//
// An error is never closed with 1000, which clients take for the end that they asked for.
package ws
