package presencetest

import (
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// activity is who is AWAY, and how that is told.
func activity() []test {
	return []test{
		{name: "AWAY by sweep, once, and back by a beat, once", run: awayAndBack},
		{name: "a beat settles AWAY before the way back", run: awaySettled},
		{name: "background beats and pongs are no activity", run: notActivity},
		{name: "a user never active is AWAY", run: neverActive},
		{name: "coming online again keeps the last activity", run: activityKept},
		{name: "a takeover of an AWAY user is one event", run: takeoverWhileAway},
		{name: "a sign-in of an AWAY device", run: signInWhileAway},
		{name: "going AWAY and offline in the same moment", run: awayAndOffline},
	}
}

// idle keeps a session alive in the background for d; the last beat is not at the end.
func (tr *trial) idle(userID, device string, e presence.Epoch, d time.Duration) {
	tr.Helper()
	for d > 0 {
		tr.accepted(presence.Refreshed, userID, device, e, presence.Background)
		step := min(d, time.Minute)
		tr.pass(step)
		d -= step
	}
}

func awayAndBack(tr *trial) {
	away := tr.options.Rules.AwayAfter
	r := tr.signIn("ann", "phone")
	active := tr.now()
	tr.idle("ann", "phone", r.Epoch, away-time.Millisecond)
	tr.sweep()
	require.Equal(tr, presence.Online, tr.presence("ann").Status)
	require.Equal(tr, []string{"ONLINE ONLINE"}, tr.hears("ann"))

	tr.Clock.Advance(time.Millisecond)
	require.Equal(tr, presence.Away, tr.presence("ann").Status, "reads go by the rule")
	require.Empty(tr, tr.hears("ann"))
	require.Equal(tr, 1, tr.sweep().Away)
	events := tr.events("ann")
	require.Len(tr, events, 1)
	require.Equal(tr, presence.EventUpdated, events[0].Type)
	require.Equal(tr, tr.presence("ann"), events[0].Presence)
	require.Equal(tr, active, events[0].Presence.LastActiveAt)
	require.Zero(tr, tr.sweep().Away)
	tr.accepted(presence.Refreshed, "ann", "phone", r.Epoch, presence.Background)
	require.Empty(tr, tr.hears("ann"))
	require.Equal(tr, 1, tr.total(presence.Filter{}), "AWAY users are in the list")

	for range 2 {
		tr.accepted(presence.Refreshed, "ann", "phone", r.Epoch, presence.Active)
		tr.pass(time.Second)
	}
	require.Equal(tr, []string{"UPDATED ONLINE"}, tr.hears("ann"))
}

func awaySettled(tr *trial) {
	r := tr.signIn("ann", "phone")
	tr.idle("ann", "phone", r.Epoch, tr.options.Rules.AwayAfter)
	tr.accepted(presence.Refreshed, "ann", "phone", r.Epoch, presence.Active)
	require.Equal(tr, []string{"ONLINE ONLINE", "UPDATED AWAY", "UPDATED ONLINE"}, tr.hears("ann"))

	tr.idle("ann", "phone", r.Epoch, tr.options.Rules.AwayAfter)
	tr.accepted(presence.Refreshed, "ann", "phone", r.Epoch, presence.Background)
	require.Equal(tr, []string{"UPDATED AWAY"}, tr.hears("ann"))
}

func notActivity(tr *trial) {
	rules := tr.options.Rules
	r := tr.signIn("ann", "phone")
	active := tr.now()
	tr.pass(50 * time.Second)
	pong := tr.accepted(presence.Refreshed, "ann", "phone", r.Epoch, presence.Pong)
	require.Equal(tr, tr.now().Add(rules.TTL), pong.LeaseEnd)
	background := tr.accepted(presence.Refreshed, "ann", "phone", r.Epoch, presence.Background)
	require.Equal(tr, tr.now().Add(rules.BackgroundTTL), background.LeaseEnd)
	again := tr.accepted(presence.Refreshed, "ann", "phone", r.Epoch, presence.Pong)
	require.Equal(tr, background.LeaseEnd, again.LeaseEnd, "a lease is not cut short")
	require.Equal(tr, active, tr.presence("ann").LastActiveAt)
	require.Equal(tr, []string{"ONLINE ONLINE"}, tr.hears("ann"))
}

func neverActive(tr *trial) {
	r := tr.accepted(presence.SignedIn, "ann", "phone", 0, presence.Background)
	require.Equal(tr, []string{"ONLINE AWAY"}, tr.hears("ann"))
	p := tr.presence("ann")
	require.Equal(tr, presence.Away, p.Status)
	require.Zero(tr, p.LastActiveAt)
	require.Zero(tr, tr.sweep().Away)
	require.Empty(tr, tr.hears("ann"), "AWAY has been told")

	tr.signIn("bob", "phone")
	rows := tr.walk(presence.LastActiveDesc, presence.Filter{}, 10)
	require.Equal(tr, []string{"bob", "ann"}, ids(rows), "never active is last")

	tr.accepted(presence.Refreshed, "ann", "phone", r.Epoch, presence.Active)
	require.Equal(tr, []string{"UPDATED ONLINE"}, tr.hears("ann"))
	require.Equal(tr, tr.now(), tr.presence("ann").LastActiveAt)
}

func activityKept(tr *trial) {
	r := tr.signIn("ann", "phone")
	active := tr.now()
	require.True(tr, tr.end("ann", r.Epoch, presence.SignedOut))
	tr.pass(tr.options.Rules.AwayAfter)
	tr.hears("ann")
	tr.accepted(presence.SignedIn, "ann", "phone", 0, presence.Background)
	require.Equal(tr, active, tr.presence("ann").LastActiveAt)
	require.Equal(tr, []string{"ONLINE AWAY"}, tr.hears("ann"))
	require.Zero(tr, tr.sweep().Away)
}

func takeoverWhileAway(tr *trial) {
	tr.accepted(presence.SignedIn, "ann", "phone", 0, presence.Background)
	tr.hears("ann")
	tr.accepted(presence.ReplacedOtherDevice, "ann", "tablet", 0, presence.Background)
	require.Equal(tr, []string{"UPDATED AWAY"}, tr.hears("ann"))
	tr.accepted(presence.ReplacedOtherDevice, "ann", "phone", 0, presence.Active)
	require.Equal(tr, []string{"UPDATED ONLINE"}, tr.hears("ann"))
}

func signInWhileAway(tr *trial) {
	tr.accepted(presence.SignedIn, "ann", "phone", 0, presence.Background)
	tr.hears("ann")
	tr.accepted(presence.SignedIn, "ann", "phone", 0, presence.Background)
	require.Empty(tr, tr.hears("ann"))
	tr.accepted(presence.SignedIn, "ann", "phone", 0, presence.Active)
	require.Equal(tr, []string{"UPDATED ONLINE"}, tr.hears("ann"))
}

// A user whose lease ends when they would go AWAY is told once: OFFLINE.
func awayAndOffline(tr *trial) {
	rules := tr.options.Rules
	r := tr.signIn("ann", "phone")
	var last presence.BeatResult
	for elapsed := time.Duration(0); elapsed < rules.AwayAfter-rules.TTL; elapsed += rules.TTL / 2 {
		tr.pass(rules.TTL / 2)
		last = tr.accepted(presence.Refreshed, "ann", "phone", r.Epoch, presence.Pong)
	}
	tr.pass(rules.TTL)
	require.Equal(tr, tr.now(), last.LeaseEnd)
	require.Equal(tr, tr.now(), tr.presence("ann").LastActiveAt.Add(rules.AwayAfter))
	report := tr.sweep()
	require.Equal(tr, 1, report.Expired)
	require.Zero(tr, report.Away)
	require.Equal(tr, []string{"ONLINE ONLINE", "OFFLINE EXPIRED"}, tr.hears("ann"))
}
