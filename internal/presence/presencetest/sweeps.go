package presencetest

import (
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// sweeps are the changes that time alone makes.
func sweeps() []test {
	return []test{
		{name: "a lease is over at its end and not before", run: leaseBoundary},
		{name: "each expires once, whoever sweeps", run: eachExpiresOnce},
		{name: "more than one sweep's work", run: manyDue},
		{name: "reports count beats", run: reportsBeats},
		{name: "an offline user is forgotten after a week", run: forgets},
		{name: "what is forgotten is trimmed", run: trimsForgotten},
		{name: "a user who came back is not forgotten", run: forgetsNobodyOnline},
	}
}

func leaseBoundary(tr *trial) {
	tr.signIn("ann", "phone")
	active := tr.now()
	tr.pass(tr.options.Rules.TTL - time.Millisecond)
	require.Zero(tr, tr.sweep().Expired)
	require.Equal(tr, []string{"ONLINE ONLINE"}, tr.hears("ann"))

	tr.Clock.Advance(time.Millisecond)
	report := tr.sweep()
	require.Equal(tr, 1, report.Expired)
	require.Equal(tr, tr.now(), report.Now)
	events := tr.events("ann")
	require.Len(tr, events, 1)
	require.Equal(tr, presence.EventOffline, events[0].Type)
	require.Equal(tr, presence.Expired, events[0].Reason)
	require.Equal(tr, tr.now(), events[0].At)
	require.Equal(tr, tr.presence("ann"), events[0].Presence)
	require.Equal(tr, active, events[0].Presence.LastActiveAt)
	require.Zero(tr, tr.sweep().Expired)
	require.Empty(tr, tr.hears("ann"))
}

func eachExpiresOnce(tr *trial) {
	users := names("user", 300)
	for i := range 10 {
		tr.signInAll(users[30*i:30*i+30], presence.Active)
		tr.pass(100 * time.Millisecond)
	}
	for range 70 {
		tr.Clock.Advance(time.Second)
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				for shard := range tr.Store.Shards() {
					_, err := tr.Store.Sweep(tr.Context(), shard)
					if err != nil {
						tr.Errorf("sweep: %v", err)
					}
				}
			})
		}
		wg.Wait()
	}
	tr.sweep()
	for _, id := range users {
		require.Equal(tr, []string{"ONLINE ONLINE", "OFFLINE EXPIRED"}, tr.hears(id))
	}
}

func manyDue(tr *trial) {
	users := names("user", 2500)
	for i := 0; i < len(users); i += 500 {
		tr.signInAll(users[i:i+500], presence.Background)
	}
	tr.pass(tr.options.Rules.BackgroundTTL)
	require.Equal(tr, len(users), tr.sweep().Expired)
	require.Zero(tr, tr.total(presence.Filter{}))
}

func reportsBeats(tr *trial) {
	before := tr.sweep().Beats
	r := tr.signIn("ann", "phone")
	tr.signIn("bob", "phone")
	for range 3 {
		tr.accepted(presence.Refreshed, "ann", "phone", r.Epoch, presence.Pong)
	}
	tr.refused(presence.ErrSessionReplaced, "ann", "phone", r.Epoch-1)
	require.Equal(tr, before+5, tr.sweep().Beats, "accepted ones alone")
}

// A user offline for SeenFor counts as never seen from that moment on.
func forgets(tr *trial) {
	r := tr.signIn("ann", "phone")
	tr.setLevels(map[string]int{"ann": 5})
	active := tr.now()
	tr.pass(time.Second)
	tr.end("ann", r.Epoch, presence.SignedOut)

	tr.Clock.Advance(presence.SeenFor - time.Millisecond)
	tr.sweep()
	require.Equal(tr, active, tr.presence("ann").LastActiveAt)
	require.Equal(tr, r.Epoch, tr.presence("ann").Epoch)

	tr.Clock.Advance(time.Millisecond)
	require.Equal(tr, presence.Presence{UserID: "ann", Status: presence.Offline}, tr.presence("ann"))
	tr.accepted(presence.Resumed, "ann", "phone", r.Epoch, presence.Background)
	require.Zero(tr, tr.presence("ann").LastActiveAt)
	require.Zero(tr, tr.total(only(5)), "the level is forgotten too")
	require.Equal(tr, []string{"ONLINE ONLINE", "OFFLINE SIGNED_OUT", "ONLINE AWAY"}, tr.hears("ann"))
}

// Case 17 (docs/cases.md): everything is trimmed, if not at once.
func trimsForgotten(tr *trial) {
	users := names("user", 50)
	tr.signInAll(users, presence.Active)
	for _, id := range users[:40] {
		tr.end(id, 0, presence.Disconnected)
	}
	tr.Clock.Advance(presence.SeenFor)
	forgotten := 0
	for range 24 {
		forgotten += tr.sweep().Forgotten
		tr.Clock.Advance(time.Hour)
	}
	require.Equal(tr, 40, forgotten)
}

func forgetsNobodyOnline(tr *trial) {
	r := tr.signIn("ann", "phone")
	tr.end("ann", r.Epoch, presence.SignedOut)
	tr.Clock.Advance(presence.SeenFor - time.Second)
	tr.signIn("ann", "phone")
	tr.Clock.Advance(time.Second)
	tr.sweep()
	require.Equal(tr, presence.Online, tr.presence("ann").Status)

	// Gone again, the week begins anew.
	last := tr.presence("ann")
	tr.end("ann", 0, presence.Disconnected)
	tr.Clock.Advance(presence.SeenFor - time.Millisecond)
	tr.sweep()
	require.Equal(tr, last.Epoch, tr.presence("ann").Epoch)
	tr.Clock.Advance(time.Millisecond)
	require.Zero(tr, tr.presence("ann").Epoch)
}
