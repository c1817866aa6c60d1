// Package ws serves GraphQL over WebSocket by the graphql-transport-ws protocol
// (https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md).
//
// A socket has two goroutines while it is idle, and one more for each operation:
//
//	client ──▶ read (the HTTP handler) ──▶ operation ──▶ queue ──▶ write ──▶ client
//
// The queue is bounded. When it is full the operations wait, which is how a slow reader is felt where the
// events come from; when nothing at all can be written for the write timeout, the socket is closed.
//
// Whoever finds a reason to close the socket ends the connection's context with it as the cause. That stops
// the operations at once; what is queued is still written, then the close frame, and after a short wait for
// the client's the connection is cut.
package ws
