package presence

// EventType is the kind of a transition.
type EventType string

// The event types. ONLINE and OFFLINE fire on the edges only; everything else
// worth telling is UPDATED: another device took over, away, and back.
const (
	EventOnline  EventType = "ONLINE"
	EventOffline EventType = "OFFLINE"
	EventUpdated EventType = "UPDATED"
)

// Reason is why a user went offline.
type Reason string

// The reasons of an OFFLINE.
const (
	SignedOut    Reason = "SIGNED_OUT"
	Expired      Reason = "EXPIRED"
	Disconnected Reason = "DISCONNECTED"
)

// Event is one recorded transition.
type Event struct {
	Type   EventType
	Reason Reason // for OFFLINE only
	At     Millis // the store's time of the step that recorded it
	// Presence after the event. On OFFLINE its Epoch is the one that ended.
	Presence Presence
	Shard    int
	ID       EventID // within the shard's log
}
