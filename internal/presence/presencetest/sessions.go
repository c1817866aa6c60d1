package presencetest

import (
	"errors"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// sessions are the rules of epochs, but for adoption.
func sessions() []test {
	return []test{
		{name: "a sign-in brings the user online", run: signInComesOnline},
		{name: "epochs grow within a millisecond", run: epochsGrow},
		{name: "signing in again on the same device renews the epoch", run: sameDeviceAgain},
		{name: "another device takes over", run: takeover},
		{name: "a beat at the last moment extends", run: lastMoment},
		{name: "a beat at the lease's end comes late", run: lateBeat},
		{name: "an expired session is resumed", run: resume},
		{name: "a sign-in after the lease is a new start", run: signInAfterExpiry},
		{name: "an older session of an expired user stays replaced", run: replacedThenExpired},
		{name: "two devices don't argue", run: devicesDontArgue},
		{name: "of 100 sign-ins at once one survives", run: concurrentSignIns},
		{name: "beats in any order never take activity back", run: disorderlyBeats},
		{name: "a batch answers each beat", run: batch},
		{name: "beats of one user in one batch follow each other", run: sameUserInBatch},
		{name: "an unknown user is offline", run: unknownUser},
	}
}

func signInComesOnline(tr *trial) {
	r := tr.accepted(presence.SignedIn, "ann", "phone", 0, presence.Active)
	now := tr.now()
	require.Equal(tr, presence.Epoch(now), r.Epoch)
	require.Equal(tr, now.Add(tr.options.Rules.TTL), r.LeaseEnd)

	want := presence.Presence{
		UserID: "ann", Status: presence.Online, LastActiveAt: now, OnlineSince: now, DeviceID: "phone", Epoch: r.Epoch,
	}
	require.Equal(tr, want, tr.presence("ann"))
	events := tr.events("ann")
	require.Len(tr, events, 1)
	require.Equal(tr, presence.EventOnline, events[0].Type)
	require.Equal(tr, now, events[0].At)
	require.Equal(tr, want, events[0].Presence)
}

func epochsGrow(tr *trial) {
	first := tr.signIn("ann", "phone")
	second := tr.signIn("ann", "phone")
	third := tr.signIn("ann", "tablet")
	require.Equal(tr, first.Epoch+1, second.Epoch)
	require.Equal(tr, second.Epoch+1, third.Epoch)
}

// Case 8 (docs/cases.md): a client that reconnects is not kicked by its own stale connection.
func sameDeviceAgain(tr *trial) {
	old := tr.signIn("ann", "phone")
	since := tr.now()
	tr.pass(time.Second)
	renewed := tr.accepted(presence.SignedIn, "ann", "phone", 0, presence.Active)
	require.Greater(tr, renewed.Epoch, old.Epoch)
	require.Equal(tr, []string{"ONLINE ONLINE"}, tr.hears("ann"), "renewing is no event")
	require.Equal(tr, since, tr.presence("ann").OnlineSince)

	tr.refused(presence.ErrSessionReplaced, "ann", "phone", old.Epoch)
	require.False(tr, tr.end("ann", old.Epoch, presence.SignedOut))
	tr.accepted(presence.Refreshed, "ann", "phone", renewed.Epoch, presence.Active)
}

// Case 10 (docs/cases.md) and case 11 (docs/cases.md): a takeover is told as UPDATED and
// nothing else.
func takeover(tr *trial) {
	phone := tr.signIn("ann", "phone")
	since := tr.now()
	tr.pass(time.Second)
	tablet := tr.accepted(presence.ReplacedOtherDevice, "ann", "tablet", 0, presence.Active)
	require.Greater(tr, tablet.Epoch, phone.Epoch)

	events := tr.events("ann")
	require.Len(tr, events, 2)
	require.Equal(tr, presence.EventUpdated, events[1].Type)
	want := presence.Presence{
		UserID: "ann", Status: presence.Online, LastActiveAt: tr.now(), OnlineSince: since, DeviceID: "tablet", Epoch: tablet.Epoch,
	}
	require.Equal(tr, want, events[1].Presence)
	require.Equal(tr, want, tr.presence("ann"))

	tr.refused(presence.ErrSessionReplaced, "ann", "phone", phone.Epoch)
	tr.accepted(presence.Refreshed, "ann", "tablet", tablet.Epoch, presence.Active)
	require.Empty(tr, tr.hears("ann"))
}

func lastMoment(tr *trial) {
	r := tr.signIn("ann", "phone")
	tr.pass(tr.options.Rules.TTL - time.Millisecond)
	r = tr.accepted(presence.Refreshed, "ann", "phone", r.Epoch, presence.Active)
	require.Equal(tr, tr.now().Add(tr.options.Rules.TTL), r.LeaseEnd)
	require.Equal(tr, []string{"ONLINE ONLINE"}, tr.hears("ann"))
}

// A late beat settles what is due before it does its own.
func lateBeat(tr *trial) {
	r := tr.signIn("ann", "phone")
	tr.pass(tr.options.Rules.TTL)
	require.Equal(tr, presence.Online, tr.presence("ann").Status, "in the list until OFFLINE is told")
	require.Equal(tr, []string{"ONLINE ONLINE"}, tr.hears("ann"))

	late := tr.accepted(presence.Resumed, "ann", "phone", r.Epoch, presence.Active)
	require.Equal(tr, r.Epoch, late.Epoch)
	require.Equal(tr, []string{"OFFLINE EXPIRED", "ONLINE ONLINE"}, tr.hears("ann"))
	require.Equal(tr, tr.now(), tr.presence("ann").OnlineSince)
}

func resume(tr *trial) {
	r := tr.signIn("ann", "phone")
	active := tr.now()
	tr.pass(tr.options.Rules.TTL)
	tr.sweep()
	require.Equal(tr, []string{"ONLINE ONLINE", "OFFLINE EXPIRED"}, tr.hears("ann"))
	require.Equal(tr, presence.Presence{
		UserID: "ann", Status: presence.Offline, LastActiveAt: active, Epoch: r.Epoch,
	}, tr.presence("ann"))

	tr.pass(time.Second)
	back := tr.accepted(presence.Resumed, "ann", "phone", r.Epoch, presence.Background)
	require.Equal(tr, r.Epoch, back.Epoch)
	require.Equal(tr, tr.now().Add(tr.options.Rules.BackgroundTTL), back.LeaseEnd)
	require.Equal(tr, presence.Presence{
		UserID: "ann", Status: presence.Online, LastActiveAt: active, OnlineSince: tr.now(), DeviceID: "phone", Epoch: r.Epoch,
	}, tr.presence("ann"), "what was known of the activity is kept")
	require.Equal(tr, []string{"ONLINE ONLINE"}, tr.hears("ann"))
}

func signInAfterExpiry(tr *trial) {
	old := tr.signIn("ann", "phone")
	tr.pass(tr.options.Rules.TTL)
	r := tr.accepted(presence.SignedIn, "ann", "tablet", 0, presence.Active)
	require.Greater(tr, r.Epoch, old.Epoch)
	require.Equal(tr, []string{"ONLINE ONLINE", "OFFLINE EXPIRED", "ONLINE ONLINE"}, tr.hears("ann"))
	require.Equal(tr, "tablet", tr.presence("ann").DeviceID)
	tr.refused(presence.ErrSessionReplaced, "ann", "phone", old.Epoch)
}

func replacedThenExpired(tr *trial) {
	old := tr.signIn("ann", "phone")
	tr.signIn("ann", "tablet")
	tr.pass(tr.options.Rules.TTL)
	tr.sweep()
	require.Equal(tr, presence.Offline, tr.presence("ann").Status)
	tr.refused(presence.ErrSessionReplaced, "ann", "phone", old.Epoch)
}

// Case 5 (docs/cases.md): the newest session decides, however much the other device beats.
func devicesDontArgue(tr *trial) {
	phone := tr.signIn("ann", "phone")
	tablet := tr.signIn("ann", "tablet")
	require.Equal(tr, []string{"ONLINE ONLINE", "UPDATED ONLINE"}, tr.hears("ann"))
	for range 10 {
		tr.pass(20 * time.Second)
		tr.refused(presence.ErrSessionReplaced, "ann", "phone", phone.Epoch)
		tr.accepted(presence.Refreshed, "ann", "tablet", tablet.Epoch, presence.Background)
		require.Empty(tr, tr.hears("ann"))
	}
}

// Case 7 (docs/cases.md).
func concurrentSignIns(tr *trial) {
	const n = 100
	devices := names("device", n)
	results := make([]presence.BeatResult, n)
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			rs, err := tr.Store.Beat(tr.Context(), []presence.Beat{{UserID: "ann", DeviceID: devices[i]}})
			if err != nil {
				errs[i] = err
				return
			}
			results[i], errs[i] = rs[0], rs[0].Err
		})
	}
	wg.Wait()
	require.NoError(tr, errors.Join(errs...))

	epochs := map[presence.Epoch]bool{}
	var newest presence.Epoch
	for _, r := range results {
		epochs[r.Epoch] = true
		newest = max(newest, r.Epoch)
	}
	require.Len(tr, epochs, n, "no two sign-ins share an epoch")
	require.Equal(tr, newest, tr.presence("ann").Epoch)

	tr.Clock.Advance(time.Second)
	survivors := 0
	for i, r := range results {
		next := tr.beat("ann", devices[i], r.Epoch, presence.Active)
		if next.Err == nil {
			survivors++
			require.Equal(tr, newest, r.Epoch)
			continue
		}
		require.ErrorIs(tr, next.Err, presence.ErrSessionReplaced)
	}
	require.Equal(tr, 1, survivors)

	told := tr.hears("ann")
	require.Len(tr, told, n)
	require.Equal(tr, "ONLINE ONLINE", told[0])
	for _, each := range told[1:] {
		require.Equal(tr, "UPDATED ONLINE", each)
	}
}

// Case 9 (docs/cases.md): whatever arrives late or twice, activity and lease only grow.
func disorderlyBeats(tr *trial) {
	old := tr.signIn("ann", "tablet")
	r := tr.signIn("ann", "phone")
	kinds := []presence.BeatKind{
		presence.Active, presence.Background, presence.Pong, presence.Active, presence.Active, presence.Background, presence.Pong,
	}
	var leaseEnd presence.Millis
	active := tr.now()
	for _, kind := range kinds {
		tr.pass(700 * time.Millisecond)
		tr.refused(presence.ErrSessionReplaced, "ann", "tablet", old.Epoch)
		for range 2 {
			got := tr.accepted(presence.Refreshed, "ann", "phone", r.Epoch, kind)
			require.GreaterOrEqual(tr, got.LeaseEnd, leaseEnd)
			leaseEnd = got.LeaseEnd
		}
		if kind == presence.Active {
			active = tr.now()
		}
		require.Equal(tr, active, tr.presence("ann").LastActiveAt)
	}
}

func batch(tr *trial) {
	ids := names("user", 50)
	old := tr.signInAll(ids, presence.Active)
	tr.signIn(ids[7], "tablet")
	beats := make([]presence.Beat, len(ids))
	for i, id := range ids {
		beats[i] = presence.Beat{UserID: id, DeviceID: "phone", Epoch: old[i].Epoch}
	}
	beats[9].Epoch = presence.Epoch(tr.now().Add(presence.EpochLead)) + 1
	beats[11].Epoch = 0
	for i, r := range tr.beats(beats...) {
		switch i {
		case 7:
			require.ErrorIs(tr, r.Err, presence.ErrSessionReplaced)
		case 9:
			require.ErrorIs(tr, r.Err, presence.ErrEpochAhead)
		case 11:
			require.NoError(tr, r.Err)
			require.Equal(tr, presence.SignedIn, r.Outcome)
			require.Equal(tr, old[i].Epoch+1, r.Epoch)
		default:
			require.NoError(tr, r.Err)
			require.Equal(tr, presence.Refreshed, r.Outcome)
			require.Equal(tr, old[i].Epoch, r.Epoch)
		}
	}
}

func sameUserInBatch(tr *trial) {
	rs := tr.beats(
		presence.Beat{UserID: "ann", DeviceID: "phone"},
		presence.Beat{UserID: "bob", DeviceID: "phone"},
		presence.Beat{UserID: "ann", DeviceID: "tablet"},
		presence.Beat{UserID: "ann", DeviceID: "phone", Epoch: presence.Epoch(tr.now())},
	)
	require.Equal(tr, presence.SignedIn, rs[0].Outcome)
	require.Equal(tr, presence.SignedIn, rs[1].Outcome)
	require.Equal(tr, presence.ReplacedOtherDevice, rs[2].Outcome)
	require.Equal(tr, rs[0].Epoch+1, rs[2].Epoch)
	require.ErrorIs(tr, rs[3].Err, presence.ErrSessionReplaced)
	require.Equal(tr, []string{"ONLINE ONLINE", "UPDATED ONLINE"}, tr.hears("ann"))
}

func unknownUser(tr *trial) {
	tr.signIn("ann", "phone")
	ps, err := tr.Store.Presences(tr.Context(), []string{"nobody", "ann", "nobody"})
	require.NoError(tr, err)
	require.Len(tr, ps, 3)
	nobody := presence.Presence{UserID: "nobody", Status: presence.Offline}
	require.Equal(tr, nobody, ps[0])
	require.Equal(tr, "ann", ps[1].UserID)
	require.Equal(tr, nobody, ps[2])
}
