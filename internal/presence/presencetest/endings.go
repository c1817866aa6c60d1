package presencetest

import (
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// endings are sign-outs and disconnections, and what they fence off.
func endings() []test {
	return []test{
		{name: "a sign-out ends the session", run: signOut},
		{name: "a disconnection ends whichever session there is", run: disconnect},
		{name: "a late end does not end the new session", run: lateEnd},
		{name: "a late beat does not revive the ended session", run: lateBeatAfterEnd},
		{name: "an end names a newer session than the store knows", run: endNewer},
		{name: "an end of an unknown user fences the epoch off", run: endUnknown},
		{name: "a disconnection of an unknown user does nothing", run: disconnectUnknown},
		{name: "an end after the lease is told as expired", run: endAfterLease},
		{name: "an expired session can be ended for good", run: endExpired},
		{name: "a disconnection fences off an expired session", run: disconnectExpired},
	}
}

// Case 12 (docs/cases.md): every ending has its reason; EXPIRED is among the sweeps.
func signOut(tr *trial) {
	r := tr.signIn("ann", "phone")
	active := tr.now()
	tr.pass(time.Second)
	require.True(tr, tr.end("ann", r.Epoch, presence.SignedOut))

	want := presence.Presence{UserID: "ann", Status: presence.Offline, LastActiveAt: active, Epoch: r.Epoch}
	require.Equal(tr, want, tr.presence("ann"))
	events := tr.events("ann")
	require.Len(tr, events, 2)
	require.Equal(tr, presence.EventOffline, events[1].Type)
	require.Equal(tr, presence.SignedOut, events[1].Reason)
	require.Equal(tr, tr.now(), events[1].At)
	require.Equal(tr, want, events[1].Presence)
	require.Zero(tr, tr.total(presence.Filter{}))

	again := tr.signIn("ann", "phone")
	require.Greater(tr, again.Epoch, r.Epoch)
	require.Equal(tr, tr.now(), tr.presence("ann").OnlineSince)
	require.Equal(tr, []string{"ONLINE ONLINE"}, tr.hears("ann"))
}

func disconnect(tr *trial) {
	r := tr.signIn("ann", "phone")
	require.True(tr, tr.end("ann", 0, presence.Disconnected))
	require.Equal(tr, []string{"ONLINE ONLINE", "OFFLINE DISCONNECTED"}, tr.hears("ann"))
	tr.refused(presence.ErrSessionEnded, "ann", "phone", r.Epoch)
	require.False(tr, tr.end("ann", 0, presence.Disconnected))
	require.Empty(tr, tr.hears("ann"))
}

// Case 6 (docs/cases.md): the old connection's late leave.
func lateEnd(tr *trial) {
	old := tr.signIn("ann", "phone")
	r := tr.signIn("ann", "tablet")
	require.False(tr, tr.end("ann", old.Epoch, presence.SignedOut))
	require.Equal(tr, []string{"ONLINE ONLINE", "UPDATED ONLINE"}, tr.hears("ann"))
	tr.accepted(presence.Refreshed, "ann", "tablet", r.Epoch, presence.Active)

	tr.pass(tr.options.Rules.TTL)
	tr.sweep()
	require.False(tr, tr.end("ann", old.Epoch, presence.SignedOut))
	tr.accepted(presence.Resumed, "ann", "tablet", r.Epoch, presence.Active)
}

func lateBeatAfterEnd(tr *trial) {
	older := tr.signIn("ann", "tablet")
	r := tr.signIn("ann", "phone")
	require.True(tr, tr.end("ann", r.Epoch, presence.SignedOut))
	tr.pass(time.Second)
	tr.refused(presence.ErrSessionEnded, "ann", "phone", r.Epoch)
	tr.refused(presence.ErrSessionEnded, "ann", "tablet", older.Epoch)
	tr.sweep()
	require.Equal(tr, presence.Offline, tr.presence("ann").Status)
}

func endNewer(tr *trial) {
	r := tr.signIn("ann", "phone")
	require.True(tr, tr.end("ann", r.Epoch+7, presence.SignedOut))
	require.Equal(tr, r.Epoch+7, tr.presence("ann").Epoch)
	events := tr.events("ann")
	require.Equal(tr, r.Epoch+7, events[len(events)-1].Presence.Epoch)
	tr.refused(presence.ErrSessionEnded, "ann", "phone", r.Epoch+7)
	require.Equal(tr, r.Epoch+8, tr.signIn("ann", "phone").Epoch)
}

func endUnknown(tr *trial) {
	e := presence.Epoch(tr.now()) + 10
	require.False(tr, tr.end("ann", e, presence.SignedOut))
	require.Empty(tr, tr.hears("ann"))
	require.Equal(tr, presence.Presence{UserID: "ann", Status: presence.Offline, Epoch: e}, tr.presence("ann"))
	tr.refused(presence.ErrSessionEnded, "ann", "phone", e)
	require.Equal(tr, e+1, tr.signIn("ann", "phone").Epoch)
	require.Equal(tr, []string{"ONLINE ONLINE"}, tr.hears("ann"))
}

func disconnectUnknown(tr *trial) {
	require.False(tr, tr.end("ann", 0, presence.Disconnected))
	require.Empty(tr, tr.hears("ann"))
	tr.accepted(presence.Resumed, "ann", "phone", 1, presence.Active)
}

func endAfterLease(tr *trial) {
	r := tr.signIn("ann", "phone")
	tr.pass(tr.options.Rules.TTL)
	require.False(tr, tr.end("ann", r.Epoch, presence.SignedOut), "it was over")
	require.Equal(tr, []string{"ONLINE ONLINE", "OFFLINE EXPIRED"}, tr.hears("ann"))
	tr.refused(presence.ErrSessionEnded, "ann", "phone", r.Epoch)
}

func endExpired(tr *trial) {
	r := tr.signIn("ann", "phone")
	tr.pass(tr.options.Rules.TTL)
	tr.sweep()
	require.False(tr, tr.end("ann", r.Epoch, presence.SignedOut))
	require.Equal(tr, []string{"ONLINE ONLINE", "OFFLINE EXPIRED"}, tr.hears("ann"))
	tr.refused(presence.ErrSessionEnded, "ann", "phone", r.Epoch)
}

func disconnectExpired(tr *trial) {
	r := tr.signIn("ann", "phone")
	tr.pass(tr.options.Rules.TTL)
	tr.sweep()
	require.False(tr, tr.end("ann", 0, presence.Disconnected))
	require.Equal(tr, r.Epoch, tr.presence("ann").Epoch)
	tr.refused(presence.ErrSessionEnded, "ann", "phone", r.Epoch)
}
