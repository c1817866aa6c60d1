package presencetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// trial is one test of one store, with short words for what tests do.
type trial struct {
	*testing.T
	Fixture
	options Options

	read   presence.Position
	told   map[string][]presence.Event // by user, all that has been read
	heard  map[string]int              // by user, how many of told the test has asked for
	forgot bool                        // the log does not hold all of the store's history
}

// newTrial begins when the grace that an empty store grants is over.
func newTrial(t *testing.T, f Fixture, o Options) *trial {
	tr := &trial{T: t, Fixture: f, options: o, told: map[string][]presence.Event{}, heard: map[string]int{}}
	tr.read = tr.tail()
	tr.pass(o.Rules.TTL)
	Sweep(t.Context(), t, f.Store)
	return tr
}

func (tr *trial) pass(d time.Duration) {
	tr.Helper()
	pass(tr.Context(), tr, tr.Fixture, tr.options.Rules, d)
}

// lose loses the store's data; it is back a moment later.
func (tr *trial) lose() {
	tr.Lose()
	tr.Clock.Advance(time.Millisecond)
	tr.forgot = true
}

func (tr *trial) sweep() presence.SweepReport {
	tr.Helper()
	return Sweep(tr.Context(), tr, tr.Store)
}

func (tr *trial) now() presence.Millis { return tr.Clock.Now() }

// beat is the answer to a heartbeat, accepted or not.
func (tr *trial) beat(userID, device string, e presence.Epoch, kind presence.BeatKind) presence.BeatResult {
	tr.Helper()
	return tr.beats(presence.Beat{UserID: userID, DeviceID: device, Epoch: e, Kind: kind})[0]
}

func (tr *trial) beats(beats ...presence.Beat) []presence.BeatResult {
	tr.Helper()
	results, err := tr.Store.Beat(tr.Context(), beats)
	require.NoError(tr, err)
	require.Len(tr, results, len(beats))
	for _, r := range results {
		require.Equal(tr, tr.now(), r.Now)
	}
	return results
}

// signIn signs an active user in.
func (tr *trial) signIn(userID, device string) presence.BeatResult {
	tr.Helper()
	r := tr.beat(userID, device, 0, presence.Active)
	require.NoError(tr, r.Err)
	return r
}

// accepted is a heartbeat that must have this outcome.
func (tr *trial) accepted(o presence.Outcome, userID, device string, e presence.Epoch, kind presence.BeatKind) presence.BeatResult {
	tr.Helper()
	r := tr.beat(userID, device, e, kind)
	require.NoError(tr, r.Err)
	require.Equal(tr, o, r.Outcome)
	return r
}

// refused is a heartbeat that must be refused and change nothing.
func (tr *trial) refused(want error, userID, device string, e presence.Epoch) {
	tr.Helper()
	tr.hears(userID)
	before := tr.presence(userID)
	r := tr.beat(userID, device, e, presence.Active)
	require.ErrorIs(tr, r.Err, want)
	require.Equal(tr, before, tr.presence(userID))
	require.Empty(tr, tr.hears(userID))
}

func (tr *trial) end(userID string, e presence.Epoch, reason presence.Reason) bool {
	tr.Helper()
	ended, err := tr.Store.End(tr.Context(), userID, e, reason)
	require.NoError(tr, err)
	return ended
}

func (tr *trial) presence(userID string) presence.Presence {
	tr.Helper()
	ps, err := tr.Store.Presences(tr.Context(), []string{userID})
	require.NoError(tr, err)
	require.Len(tr, ps, 1)
	return ps[0]
}

func (tr *trial) setLevels(levels map[string]int) {
	tr.Helper()
	require.NoError(tr, tr.Store.SetLevels(tr.Context(), levels))
}

func (tr *trial) tail() presence.Position {
	tr.Helper()
	tail, err := tr.Store.Tail(tr.Context())
	require.NoError(tr, err)
	require.Len(tr, tail, tr.Store.Shards())
	return tail
}

// names are n user ids.
func names(prefix string, n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("%s%04d", prefix, i)
	}
	return ids
}

// signInAll signs users in, all in the same millisecond.
func (tr *trial) signInAll(ids []string, kind presence.BeatKind) []presence.BeatResult {
	tr.Helper()
	beats := make([]presence.Beat, len(ids))
	for i, id := range ids {
		beats[i] = presence.Beat{UserID: id, DeviceID: "phone", Kind: kind}
	}
	results := tr.beats(beats...)
	for _, r := range results {
		require.NoError(tr, r.Err)
	}
	return results
}
