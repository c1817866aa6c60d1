// Package presence is the domain of Rollcall: what it means to be online, and
// what a store of presence promises.
//
// # Overview
//
// A user is online while their session has an unexpired lease. A heartbeat (a
// "beat") without a session signs a device in and begins a session; a beat with
// a session extends its lease. Every change a subscriber may want to know of is
// an [Event], recorded by the [Store] in the same atomic step as the change.
//
//	         sign in / resume / adopt: ONLINE
//	OFFLINE ─────────────────────────────────▶ ONLINE ──┐ beat, takeover (UPDATED),
//	   ▲                                         │ ▲    │ away and back (UPDATED)
//	   └─────────────────────────────────────────┘ └────┘
//	     lease over, sign out, disconnect: OFFLINE
//
// # Epochs
//
// Each sign-in gets an epoch larger than any before it for that user: the
// store's clock in milliseconds, or one more than the last epoch if that is
// larger. The session token carries the epoch, so that any later message can be
// ordered against the sign-ins. For a beat with epoch e where the store holds E:
//
//	e = E, online            extend                      REFRESHED
//	e = E, other device      (after a loss of data only) [ErrSessionReplaced]
//	e = E, expired           online again                RESUMED
//	e < E, online or expired                             [ErrSessionReplaced]
//	e ≤ E, signed out or disconnected                    [ErrSessionEnded]
//	e > E, or nothing stored adopt e: the store lost data
//	e > now + EpochLead                                  [ErrEpochAhead]
//
// An adopted session is RESUMED if the user was offline, REFRESHED if the same
// device was online, and REPLACED_OTHER_DEVICE if another one was.
//
// # Clock
//
// All times are the store's, read once in each atomic step, in milliseconds. At
// now == lease end the lease is over; at lastActive == now - AwayAfter the user
// is AWAY. No other clock decides anything; the sweeper of a node uses its own
// only to choose when to ask.
//
// # Transitions that time makes
//
// A user whose lease is over stays in the list until OFFLINE is recorded: by a
// sweep, or by the next beat or end of the user, which settles what is due
// before it does its own. So the list and the events always agree: a late beat
// of an expired session is told as OFFLINE, ONLINE. Likewise AWAY is recorded
// by a sweep or settled by the next beat, which then records the way back.
// Reads show AWAY by the rule, up to one sweep before the event.
//
// # Failure
//
// When nobody could have told who was alive, the store grants grace: until one
// full TTL from then no lease is over. That is so for a step that finds no sweep within
// [Rules.Gap], since then all nodes were gone, and for a sweep by a node that could not
// reach the store since its last one, however short that was. A store found empty
// begins with grace and a new event log; a position in the old log is then no longer
// held, which readers are told as a reset.
package presence
