package presencetest

import (
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// intervals are the rhythms of real clients, none of which may make noise.
func intervals() []test {
	return []test{
		{name: "a throttled tab that loses a beat", run: throttledTab},
		{name: "one of three beats lost", run: lostBeats},
		{name: "switching tabs", run: switchingTabs},
	}
}

// Case 3 (docs/cases.md): a hidden tab beats once a minute; a lost beat must not cost the lease.
func throttledTab(tr *trial) {
	r := tr.signIn("ann", "phone")
	tr.accepted(presence.Refreshed, "ann", "phone", r.Epoch, presence.Background)
	tr.pass(2 * time.Minute)
	tr.accepted(presence.Refreshed, "ann", "phone", r.Epoch, presence.Background)
	tr.pass(time.Minute)
	tr.accepted(presence.Refreshed, "ann", "phone", r.Epoch, presence.Background)
	require.Equal(tr, []string{"ONLINE ONLINE"}, tr.hears("ann"))
}

// Case 4 (docs/cases.md).
func lostBeats(tr *trial) {
	r := tr.signIn("ann", "phone")
	for range 10 {
		tr.pass(24 * time.Second)
		tr.accepted(presence.Refreshed, "ann", "phone", r.Epoch, presence.Active)
		tr.pass(48 * time.Second) // the one between is lost
		tr.accepted(presence.Refreshed, "ann", "phone", r.Epoch, presence.Active)
	}
	require.Equal(tr, []string{"ONLINE ONLINE"}, tr.hears("ann"))
}

func switchingTabs(tr *trial) {
	r := tr.signIn("ann", "phone")
	for range 20 {
		tr.pass(3 * time.Second)
		tr.accepted(presence.Refreshed, "ann", "phone", r.Epoch, presence.Background)
		tr.pass(3 * time.Second)
		tr.accepted(presence.Refreshed, "ann", "phone", r.Epoch, presence.Active)
	}
	require.Equal(tr, []string{"ONLINE ONLINE"}, tr.hears("ann"))
}
