package keepalive

import "rollcall/internal/presence"

// EventType is what the client of a kept session is told.
type EventType string

// The event types. STARTED comes once and first; either of the others is the last.
const (
	Started  EventType = "STARTED"
	Replaced EventType = "REPLACED" // a newer sign-in has begun another session
	Ended    EventType = "ENDED"    // the session was signed out or disconnected
)

// Event is one thing that the client of a kept session is told.
type Event struct {
	Type    EventType
	Session string // the session's token
	// ExpiresAt is when the lease ends that Started tells of, if no pong
	// extends it; zero in the last event.
	ExpiresAt presence.Millis
}
