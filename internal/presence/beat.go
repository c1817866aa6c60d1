package presence

// BeatKind is what a beat says about its user.
type BeatKind uint8

// The kinds of beat.
const (
	Active     BeatKind = iota // the user is active: extends the lease by TTL and moves the last activity
	Background                 // heartbeat with active: false: extends by BackgroundTTL
	Pong                       // a connection that carries the session answered a ping: extends by TTL
)

// Beat is one heartbeat as the store takes it. Its fields are valid.
type Beat struct {
	UserID   string
	DeviceID string
	// Epoch of the session that beats; zero to sign the device in.
	Epoch Epoch
	// Nonce tells a sign-in that runs again (a retry after a lost answer, or the
	// first attempt after its retry) from a new one; zero tells nothing. At most MaxNonce.
	Nonce uint32
	Kind  BeatKind
}

// MaxNonce is the largest nonce: a store keeps three bytes of it.
const MaxNonce = 1<<24 - 1

// Outcome is what an accepted beat did.
type Outcome string

// The outcomes. A sign-in from the device that is online already is SIGNED_IN:
// it renews the epoch and is no event.
const (
	SignedIn            Outcome = "SIGNED_IN"
	Refreshed           Outcome = "REFRESHED"
	Resumed             Outcome = "RESUMED"
	ReplacedOtherDevice Outcome = "REPLACED_OTHER_DEVICE"
)

// BeatResult is the store's answer to one beat.
type BeatResult struct {
	// Err is ErrSessionReplaced, ErrSessionEnded or ErrEpochAhead when the beat
	// was refused, which changes nothing; otherwise nil.
	Err     error
	Outcome Outcome
	// Epoch of the session that is live now.
	Epoch Epoch
	// LeaseEnd is when the user goes offline if no further beat comes.
	LeaseEnd Millis
	// Now is the store's time of the beat.
	Now Millis
}
