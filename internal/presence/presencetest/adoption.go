package presencetest

import (
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// adoption is what becomes of an epoch that the store does not know.
func adoption() []test {
	return []test{
		{name: "of an unknown user", run: adoptUnknown},
		{name: "by the same device online", run: adoptSameDevice},
		{name: "by another device online", run: adoptOtherDevice},
		{name: "of an expired user", run: adoptExpired},
		{name: "of a user who signed out", run: adoptSignedOut},
		{name: "the same epoch on another device is no adoption", run: sameEpochOtherDevice},
		{name: "an epoch may be a minute ahead and no more", run: epochAhead},
		{name: "a sign-in is newer than an epoch from the future", run: signInAfterFuture},
		{name: "a client's clock decides nothing", run: foreignClock},
	}
}

func adoptUnknown(tr *trial) {
	e := presence.Epoch(tr.now()) - 1000
	r := tr.accepted(presence.Resumed, "ann", "phone", e, presence.Active)
	require.Equal(tr, e, r.Epoch)
	require.Equal(tr, tr.now().Add(tr.options.Rules.TTL), r.LeaseEnd)
	require.Equal(tr, tr.now(), tr.presence("ann").OnlineSince)
	require.Equal(tr, []string{"ONLINE ONLINE"}, tr.hears("ann"))
}

func adoptSameDevice(tr *trial) {
	r := tr.accepted(presence.SignedIn, "ann", "phone", 0, presence.Background)
	since := tr.now()
	tr.pass(time.Second)
	adopted := tr.accepted(presence.Refreshed, "ann", "phone", r.Epoch+5, presence.Pong)
	require.Equal(tr, r.Epoch+5, adopted.Epoch)
	require.Equal(tr, tr.now().Add(tr.options.Rules.TTL), adopted.LeaseEnd, "a new lease, here a shorter one")
	require.Equal(tr, since, tr.presence("ann").OnlineSince)
	require.Equal(tr, []string{"ONLINE AWAY"}, tr.hears("ann"))
	tr.refused(presence.ErrSessionReplaced, "ann", "phone", r.Epoch)
}

func adoptOtherDevice(tr *trial) {
	r := tr.signIn("ann", "phone")
	adopted := tr.accepted(presence.ReplacedOtherDevice, "ann", "tablet", r.Epoch+5, presence.Active)
	require.Equal(tr, r.Epoch+5, adopted.Epoch)
	require.Equal(tr, "tablet", tr.presence("ann").DeviceID)
	require.Equal(tr, []string{"ONLINE ONLINE", "UPDATED ONLINE"}, tr.hears("ann"))
}

func adoptExpired(tr *trial) {
	r := tr.signIn("ann", "phone")
	tr.pass(tr.options.Rules.TTL)
	tr.sweep()
	tr.accepted(presence.Resumed, "ann", "tablet", r.Epoch+5, presence.Active)
	require.Equal(tr, r.Epoch+5, tr.presence("ann").Epoch)
	require.Equal(tr, []string{"ONLINE ONLINE", "OFFLINE EXPIRED", "ONLINE ONLINE"}, tr.hears("ann"))
}

func adoptSignedOut(tr *trial) {
	r := tr.signIn("ann", "phone")
	require.True(tr, tr.end("ann", r.Epoch, presence.SignedOut))
	tr.accepted(presence.Resumed, "ann", "phone", r.Epoch+1, presence.Active)
	require.Equal(tr, []string{"ONLINE ONLINE", "OFFLINE SIGNED_OUT", "ONLINE ONLINE"}, tr.hears("ann"))
}

func sameEpochOtherDevice(tr *trial) {
	r := tr.signIn("ann", "phone")
	tr.refused(presence.ErrSessionReplaced, "ann", "tablet", r.Epoch)
	require.Equal(tr, "phone", tr.presence("ann").DeviceID)
}

func epochAhead(tr *trial) {
	limit := presence.Epoch(tr.now().Add(presence.EpochLead))
	tr.refused(presence.ErrEpochAhead, "ann", "phone", limit+1)
	require.Zero(tr, tr.presence("ann").Epoch)
	tr.accepted(presence.Resumed, "ann", "phone", limit, presence.Active)
	require.Equal(tr, []string{"ONLINE ONLINE"}, tr.hears("ann"))

	tr.refused(presence.ErrEpochAhead, "ann", "phone", limit+1)
	_, err := tr.Store.End(tr.Context(), "ann", limit+1, presence.SignedOut)
	require.ErrorIs(tr, err, presence.ErrEpochAhead)
	require.Equal(tr, presence.Online, tr.presence("ann").Status)
	require.Empty(tr, tr.hears("ann"))
}

func signInAfterFuture(tr *trial) {
	future := presence.Epoch(tr.now().Add(presence.EpochLead))
	tr.accepted(presence.Resumed, "ann", "phone", future, presence.Active)
	r := tr.accepted(presence.ReplacedOtherDevice, "ann", "tablet", 0, presence.Active)
	require.Equal(tr, future+1, r.Epoch)
}

// Case 26 (docs/cases.md): a token made on a clock a day ahead is refused, on one a day behind
// it is no newer than the store's own; all times told are the store's.
func foreignClock(tr *trial) {
	r := tr.signIn("ann", "phone")
	day := presence.Epoch((24 * time.Hour).Milliseconds())
	tr.refused(presence.ErrEpochAhead, "ann", "phone", r.Epoch+day)
	tr.refused(presence.ErrSessionReplaced, "ann", "phone", r.Epoch-day)
	require.False(tr, tr.end("ann", r.Epoch-day, presence.SignedOut))

	tr.accepted(presence.Resumed, "bob", "phone", r.Epoch-day, presence.Active)
	require.Equal(tr, tr.now(), tr.presence("bob").LastActiveAt)
	require.Equal(tr, tr.now(), tr.presence("bob").OnlineSince)
	require.Equal(tr, tr.now(), tr.events("bob")[0].At)
}
