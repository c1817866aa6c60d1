package presencetest

import (
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// repeats run every step twice, as a retry after a lost answer does: the state and
// the events are those of one run, case 33 (docs/cases.md).
func repeats() []test {
	return []test{
		{name: "sign-in", run: repeatSignIn},
		{name: "another sign-in", run: newSignIn},
		{name: "takeover", run: repeatTakeover},
		{name: "refresh", run: repeatRefresh},
		{name: "resume", run: repeatResume},
		{name: "adoption", run: repeatAdoption},
		{name: "end", run: repeatEnd},
		{name: "sweep", run: repeatSweep},
		{name: "levels", run: repeatLevels},
		{name: "in one batch", run: repeatInBatch},
	}
}

func repeatSignIn(tr *trial) {
	signIn := presence.Beat{UserID: "ann", DeviceID: "phone", Nonce: 7}
	first := tr.beats(signIn)[0]
	before := tr.presence("ann")
	require.Equal(tr, first, tr.beats(signIn)[0])
	require.Equal(tr, before, tr.presence("ann"))
	require.Equal(tr, []string{"ONLINE ONLINE"}, tr.hears("ann"))

	// The second run may come late: the session that began with the first goes on.
	tr.accepted(presence.Refreshed, "ann", "phone", first.Epoch, presence.Active)
	tr.pass(time.Second)
	require.Equal(tr, first.Epoch, tr.beats(signIn)[0].Epoch)
	tr.accepted(presence.Refreshed, "ann", "phone", first.Epoch, presence.Active)
}

// Another sign-in from the device renews the epoch, whatever its nonce says of
// sessions before; without one every sign-in is another.
func newSignIn(tr *trial) {
	epoch := presence.Epoch(0)
	for _, nonce := range []uint32{7, 8, 7, 0, 0} {
		r := tr.beats(presence.Beat{UserID: "ann", DeviceID: "phone", Nonce: nonce})[0]
		require.Equal(tr, presence.SignedIn, r.Outcome)
		require.Greater(tr, r.Epoch, epoch)
		epoch = r.Epoch
	}
	r := tr.beats(presence.Beat{UserID: "ann", DeviceID: "tablet", Nonce: 7})[0]
	require.Equal(tr, presence.ReplacedOtherDevice, r.Outcome)
}

func repeatTakeover(tr *trial) {
	tr.signIn("ann", "phone")
	takeover := presence.Beat{UserID: "ann", DeviceID: "tablet", Nonce: 7}
	first, second := tr.beats(takeover)[0], tr.beats(takeover)[0]
	require.Equal(tr, presence.ReplacedOtherDevice, first.Outcome)
	require.Equal(tr, first.Epoch, second.Epoch)
	require.Equal(tr, []string{"ONLINE ONLINE", "UPDATED ONLINE"}, tr.hears("ann"))
}

func repeatRefresh(tr *trial) {
	r := tr.accepted(presence.SignedIn, "ann", "phone", 0, presence.Background)
	first := tr.accepted(presence.Refreshed, "ann", "phone", r.Epoch, presence.Active)
	second := tr.accepted(presence.Refreshed, "ann", "phone", r.Epoch, presence.Active)
	require.Equal(tr, first, second)
	require.Equal(tr, []string{"ONLINE AWAY", "UPDATED ONLINE"}, tr.hears("ann"))
}

func repeatResume(tr *trial) {
	r := tr.signIn("ann", "phone")
	tr.pass(tr.options.Rules.TTL)
	first := tr.accepted(presence.Resumed, "ann", "phone", r.Epoch, presence.Active)
	second := tr.accepted(presence.Refreshed, "ann", "phone", r.Epoch, presence.Active)
	require.Equal(tr, first.LeaseEnd, second.LeaseEnd)
	require.Equal(tr, []string{"ONLINE ONLINE", "OFFLINE EXPIRED", "ONLINE ONLINE"}, tr.hears("ann"))
}

func repeatAdoption(tr *trial) {
	r := tr.signIn("ann", "phone")
	tr.accepted(presence.ReplacedOtherDevice, "ann", "tablet", r.Epoch+1, presence.Active)
	tr.accepted(presence.Refreshed, "ann", "tablet", r.Epoch+1, presence.Active)
	require.Equal(tr, []string{"ONLINE ONLINE", "UPDATED ONLINE"}, tr.hears("ann"))
}

func repeatEnd(tr *trial) {
	r := tr.signIn("ann", "phone")
	require.True(tr, tr.end("ann", r.Epoch, presence.SignedOut))
	before := tr.presence("ann")
	require.False(tr, tr.end("ann", r.Epoch, presence.SignedOut))
	require.Equal(tr, before, tr.presence("ann"))
	require.Equal(tr, []string{"ONLINE ONLINE", "OFFLINE SIGNED_OUT"}, tr.hears("ann"))
}

func repeatSweep(tr *trial) {
	tr.signIn("ann", "phone")
	tr.pass(tr.options.Rules.TTL)
	require.Equal(tr, 1, tr.sweep().Expired)
	report := tr.sweep()
	require.Zero(tr, report.Expired+report.Away+report.Forgotten)
	require.Equal(tr, []string{"ONLINE ONLINE", "OFFLINE EXPIRED"}, tr.hears("ann"))
}

func repeatLevels(tr *trial) {
	tr.signIn("ann", "phone")
	for range 2 {
		tr.setLevels(map[string]int{"ann": 9})
		require.Equal(tr, 1, tr.total(only(9)))
	}
	require.Equal(tr, []string{"ONLINE ONLINE"}, tr.hears("ann"))
}

func repeatInBatch(tr *trial) {
	r := tr.signIn("ann", "phone")
	tr.pass(tr.options.Rules.TTL)
	beat := presence.Beat{UserID: "ann", DeviceID: "phone", Epoch: r.Epoch}
	rs := tr.beats(beat, beat)
	require.Equal(tr, presence.Resumed, rs[0].Outcome)
	require.Equal(tr, presence.Refreshed, rs[1].Outcome)
	require.Equal(tr, []string{"ONLINE ONLINE", "OFFLINE EXPIRED", "ONLINE ONLINE"}, tr.hears("ann"))
}
