package presencetest

import (
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// grace is what an outage must not do: tell people who are there OFFLINE.
func grace() []test {
	return []test{
		{name: "no lease is over before a full TTL after an outage", run: graceAfterGap},
		{name: "a gap is longer than Rules.Gap", run: gapBoundary},
		{name: "a beat after an outage goes on", run: beatAfterGap},
		{name: "an end after an outage finds the session live", run: endAfterGap},
		{name: "AWAY is told in grace", run: awayInGrace},
		{name: "a lost list rebuilds itself", run: rebuild},
		{name: "a sign-out is fenced off after a loss", run: endAfterLoss},
	}
}

func graceAfterGap(tr *trial) {
	ttl := tr.options.Rules.TTL
	users := names("user", 40)
	rs := tr.signInAll(users, presence.Active)
	tr.Clock.Advance(2 * ttl) // nobody sweeps
	require.Zero(tr, tr.sweep().Expired)
	require.Equal(tr, len(users), tr.total(presence.Filter{}))

	tr.pass(ttl - time.Millisecond)
	require.Zero(tr, tr.sweep().Expired)
	for i, id := range users[:20] {
		tr.accepted(presence.Refreshed, id, "phone", rs[i].Epoch, presence.Active)
	}
	tr.Clock.Advance(time.Millisecond)
	require.Equal(tr, 20, tr.sweep().Expired)
	for _, id := range users[:20] {
		require.Equal(tr, []string{"ONLINE ONLINE"}, tr.hears(id))
	}
	for _, id := range users[20:] {
		require.Equal(tr, []string{"ONLINE ONLINE", "OFFLINE EXPIRED"}, tr.hears(id))
	}
}

func gapBoundary(tr *trial) {
	rules := tr.options.Rules
	tr.signIn("ann", "phone")
	tr.pass(rules.TTL - rules.Gap())
	tr.sweep()
	tr.Clock.Advance(rules.Gap())
	require.Equal(tr, 1, tr.sweep().Expired, "as long as the gap is no outage")

	tr.signIn("ann", "phone")
	tr.pass(rules.TTL - rules.Gap())
	tr.sweep()
	tr.Clock.Advance(rules.Gap() + time.Millisecond)
	require.Zero(tr, tr.sweep().Expired)
	tr.pass(rules.TTL)
	require.Equal(tr, 1, tr.sweep().Expired)
}

func beatAfterGap(tr *trial) {
	r := tr.signIn("ann", "phone")
	tr.signIn("bob", "phone")
	tr.Clock.Advance(2 * tr.options.Rules.TTL)
	tr.accepted(presence.Refreshed, "ann", "phone", r.Epoch, presence.Active)
	tr.accepted(presence.ReplacedOtherDevice, "bob", "tablet", 0, presence.Active)
	require.Equal(tr, []string{"ONLINE ONLINE"}, tr.hears("ann"))
	require.Equal(tr, []string{"ONLINE ONLINE", "UPDATED ONLINE"}, tr.hears("bob"))
}

func endAfterGap(tr *trial) {
	r := tr.signIn("ann", "phone")
	tr.Clock.Advance(2 * tr.options.Rules.TTL)
	require.True(tr, tr.end("ann", r.Epoch, presence.SignedOut))
	require.Equal(tr, []string{"ONLINE ONLINE", "OFFLINE SIGNED_OUT"}, tr.hears("ann"))
}

func awayInGrace(tr *trial) {
	tr.signIn("ann", "phone")
	tr.Clock.Advance(tr.options.Rules.AwayAfter)
	report := tr.sweep()
	require.Equal(tr, 1, report.Away)
	require.Zero(tr, report.Expired)
	require.Equal(tr, []string{"ONLINE ONLINE", "UPDATED AWAY"}, tr.hears("ann"))
	tr.pass(tr.options.Rules.TTL)
	tr.sweep()
	require.Equal(tr, []string{"OFFLINE EXPIRED"}, tr.hears("ann"))
}

func rebuild(tr *trial) {
	rules := tr.options.Rules
	users := names("user", 40)
	rs := tr.signInAll(users, presence.Active)
	tr.pass(10 * time.Second)
	tr.lose()
	require.Zero(tr, tr.total(presence.Filter{}))
	require.Equal(tr, presence.Presence{UserID: users[0], Status: presence.Offline}, tr.presence(users[0]))

	for shard, id := range tr.read {
		_, _, err := tr.Store.Range(tr.Context(), shard, id)
		require.ErrorIs(tr, err, presence.ErrTrimmed)
	}
	tr.read = tr.tail()
	for i, id := range users {
		tr.hears(id)
		r := tr.accepted(presence.Resumed, id, "phone", rs[i].Epoch, presence.Active)
		require.Equal(tr, rs[i].Epoch, r.Epoch)
		require.Equal(tr, []string{"ONLINE ONLINE"}, tr.hears(id))
	}
	require.Equal(tr, len(users), tr.total(presence.Filter{}))
	tr.pass(rules.TTL - time.Millisecond)
	require.Zero(tr, tr.sweep().Expired)
	tr.Clock.Advance(time.Millisecond)
	require.Equal(tr, len(users), tr.sweep().Expired)
	for _, id := range users {
		require.Equal(tr, []string{"OFFLINE EXPIRED"}, tr.hears(id))
	}
}

func endAfterLoss(tr *trial) {
	r := tr.signIn("ann", "phone")
	tr.lose()
	tr.read = tr.tail()
	require.False(tr, tr.end("ann", r.Epoch, presence.SignedOut), "the store does not know")
	tr.refused(presence.ErrSessionEnded, "ann", "phone", r.Epoch)
}
