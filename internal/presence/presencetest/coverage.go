package presencetest

import (
	"sync"

	"github.com/stretchr/testify/require"
)

// Branch is a rare course of events that a run of [Model] must have taken.
type Branch string

// The branches.
const (
	Takeover           Branch = "another device took over"
	ResumedAfterExpiry Branch = "an expired session was resumed"
	SettledByBeat      Branch = "a late beat was told as OFFLINE, ONLINE"
	LateBeatAfterEnd   Branch = "a late beat of an ended session was refused"
	ReplacedBeat       Branch = "a beat of a replaced session was refused"
	LateEnd            Branch = "a late end of a replaced session did nothing"
	AdoptedAfterLoss   Branch = "a session was adopted after a loss of data"
	AdoptedNewer       Branch = "an online user's session was adopted"
	EpochAhead         Branch = "an epoch from the future was refused"
	LeaseKept          Branch = "a beat did not cut a lease short"
	ExpiredBySweep     Branch = "a sweep ended a lease"
	AwayAndBack        Branch = "a user went AWAY and came back"
	OnlineAsAway       Branch = "a user came online AWAY"
	InGrace            Branch = "a lease was over but for grace"
	Forgotten          Branch = "a user was forgotten"
	EqualScores        Branch = "a page had equal scores"
	NoLevelLast        Branch = "a page ended with users without a level"
	StaleMark          Branch = "a page was asked for behind a user who had moved or left"
	PositionLost       Branch = "a position was no longer held"
	PositionResumed    Branch = "an earlier position gave events"
)

func branches() []Branch {
	return []Branch{
		Takeover, ResumedAfterExpiry, SettledByBeat, LateBeatAfterEnd, ReplacedBeat, LateEnd, AdoptedAfterLoss,
		AdoptedNewer, EpochAhead, LeaseKept, ExpiredBySweep, AwayAndBack, OnlineAsAway, InGrace, Forgotten,
		EqualScores, NoLevelLast, StaleMark, PositionLost, PositionResumed,
	}
}

// Coverage counts which branches a run has taken.
type Coverage struct {
	mu    sync.Mutex
	taken map[Branch]int
}

// NewCoverage has seen nothing.
func NewCoverage() *Coverage { return &Coverage{taken: map[Branch]int{}} }

func (c *Coverage) take(b Branch, when bool) {
	if when {
		c.mu.Lock()
		c.taken[b]++
		c.mu.Unlock()
	}
}

// Require fails the test if any branch was not taken.
func (c *Coverage) Require(t require.TestingT) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range branches() {
		require.Positive(t, c.taken[b], "never: %s (%v)", b, c.taken)
	}
}
