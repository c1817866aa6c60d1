package presence

import (
	"context"
	"time"
)

// Store keeps who is online. Its methods are safe for concurrent use.
//
// Time. Each step reads the store's clock once; see the package comment for the
// rules of leases, epochs, away and grace, which are the store's to keep.
//
// Atomicity. A step changes a user's state and records its events at once or
// not at all. Steps of one user are totally ordered. A call that covers several shards
// is one step in each. Every step may be run twice (a retry after a lost
// answer) with the state and events of one run.
//
// Errors. A store that can't be reached returns [*UnavailableError] within
// about a second, or the context's error. Whatever the store is asked is
// valid; it checks nothing but its clock.
type Store interface {
	// Beat applies heartbeats in their order; results are in the input's order.
	// A refused beat is in its result and does not stop the others. On an
	// error any of the beats may have been applied.
	//
	// Accepted, a beat extends the lease to now + Rules.Lease(kind) unless it
	// ends later already (a sign-in, adoption or resumption begins a new lease, which may
	// end sooner). A beat of kind Active moves the last activity to now,
	// never backwards. A user who comes online without having ever been active has
	// no last activity and is AWAY.
	//
	// A sign-in whose nonce is that of the live session, on its device, is that
	// sign-in once more: it has the same epoch and extends the lease.
	//
	// Events: ONLINE when the user was offline; UPDATED when another device was
	// online, or when an AWAY user is active again; never both UPDATED for one beat.
	Beat(ctx context.Context, beats []Beat) ([]BeatResult, error)

	// End ends the user's session and tells whether one was live. The
	// epoch is that of the session to end (SignedOut), or zero for
	// whichever it is (Disconnected).
	//
	// With an epoch older than the stored one nothing happens. Otherwise the
	// newer of the two is recorded as ended, online or not, so that a beat
	// of it still in flight is refused; an epoch is recorded even where nothing is
	// stored, zero is not. A lease that was over before is settled as EXPIRED.
	// An epoch from the future is refused with ErrEpochAhead.
	//
	// Events: OFFLINE with the reason if a session was live. Run twice, the second
	// answer is that none was.
	End(ctx context.Context, userID string, epoch Epoch, reason Reason) (ended bool, err error)

	// Presences is the presence of each user, in the ids' order; an unknown
	// one is OFFLINE.
	Presences(ctx context.Context, userIDs []string) ([]Presence, error)

	// Page is a page of the list of online users. With an order or filter by
	// level on a store without a level index: an [InvalidError].
	Page(ctx context.Context, req PageRequest) (Page, error)

	// SetLevels sets the levels by which online users are listed (NoLevel or
	// 0 to MaxLevel). Users who aren't online are passed over. No event.
	SetLevels(ctx context.Context, levels map[string]int) error

	// HasLevelIndex tells whether the list can be ordered and filtered by level.
	HasLevelIndex() bool

	// Sweep records what time has changed in one shard: leases that are over
	// (OFFLINE, EXPIRED, unless in grace), users newly AWAY (UPDATED). It frees, in its
	// own time, what is kept of users offline for SeenFor, who count as never
	// seen from that moment on. One call does a bounded amount of work.
	Sweep(ctx context.Context, shard int) (SweepReport, error)

	// Shards is the number of shards now. It changes when the store is resharded:
	// from one moment on its users are in other shards, and its logs begin anew.
	// Calls for shards that are no more do nothing.
	Shards() int

	// Stats is the store's size and balance.
	Stats(ctx context.Context) (Stats, error)

	// Subscribers notes that this node has own subscribers, and is how many all nodes have
	// together, by what each has said within RosterKept.
	Subscribers(ctx context.Context, own int) (all int, err error)

	Log
	History
}

// Log is the record of transitions, one log per shard, in the order in which
// they happened; the oldest entries are dropped. A log is never
// empty: it begins with a genesis entry, which is no event but can be the
// entry of a position. A store that lost its data, or was resharded, begins its
// logs anew.
type Log interface {
	// Tail is the position behind the newest entry of every shard.
	Tail(ctx context.Context) (Position, error)

	// Range is all events of one shard after an entry, and the newest entry
	// that has been read (after itself when there is none newer). If the log no longer
	// holds the entry `after`, or there is no such shard: ErrTrimmed.
	Range(ctx context.Context, shard int, after EventID) ([]Event, EventID, error)

	// Follow is Range, but waits at most wait for the first event to come.
	Follow(ctx context.Context, shard int, after EventID, wait time.Duration) ([]Event, EventID, error)
}

// SweepReport tells what a sweep of one shard did.
type SweepReport struct {
	Elsewhere bool // another node sweeps this shard; nothing was done, Now and Beats are true all the same
	More      bool // the bounded work was not all there is: sweep again at once
	Expired   int  // users recorded as OFFLINE
	Away      int  // users recorded as AWAY
	Forgotten int  // users of whom nothing is kept any more
	// Beats is the number of beats that the shard has accepted since the store
	// was found empty.
	Beats int64
	Now   Millis
}

// Stats is a store's size and balance.
type Stats struct {
	OnlineByShard []int
	// UsedMemory and MaxMemory are in bytes, over all servers of the store;
	// MaxMemory is 0 where there is no limit.
	UsedMemory, MaxMemory int64
}
