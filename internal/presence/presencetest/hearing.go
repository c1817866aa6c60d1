package presencetest

import (
	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// listen reads what the logs have to tell, checking the form of each event.
func (tr *trial) listen() {
	tr.Helper()
	for shard := range tr.read {
		events, last, err := tr.Store.Range(tr.Context(), shard, tr.read[shard])
		require.NoError(tr, err)
		for _, e := range events {
			require.Equal(tr, shard, e.Shard)
			require.Equal(tr, shard, presence.Shard(e.Presence.UserID, tr.Store.Shards()))
			require.Positive(tr, e.ID.Compare(tr.read[shard]), "ids grow")
			require.LessOrEqual(tr, e.At, tr.now())
			tr.read[shard] = e.ID
			wellFormed(tr, e)
			tr.told[e.Presence.UserID] = append(tr.told[e.Presence.UserID], e)
		}
		require.Equal(tr, tr.read[shard], last)
	}
}

// wellFormed checks what must be so in every event.
func wellFormed(t require.TestingT, e presence.Event) {
	p := e.Presence
	require.NotZero(t, p.Epoch)
	if e.Type != presence.EventOffline {
		require.Empty(t, e.Reason)
		require.Contains(t, []presence.Status{presence.Online, presence.Away}, p.Status)
		require.NotZero(t, p.OnlineSince)
		require.NotEmpty(t, p.DeviceID)
		return
	}
	require.NotEmpty(t, e.Reason)
	require.Equal(t, presence.Offline, p.Status)
	require.Zero(t, p.OnlineSince)
	require.Empty(t, p.DeviceID)
}

// events are those of a user since the test asked last.
func (tr *trial) events(userID string) []presence.Event {
	tr.Helper()
	tr.listen()
	fresh := tr.told[userID][tr.heard[userID]:]
	tr.heard[userID] += len(fresh)
	return fresh
}

// hears is events in short: "ONLINE ONLINE", "ONLINE AWAY", "UPDATED AWAY",
// "OFFLINE EXPIRED".
func (tr *trial) hears(userID string) []string {
	tr.Helper()
	var short []string
	for _, e := range tr.events(userID) {
		detail := string(e.Presence.Status)
		if e.Type == presence.EventOffline {
			detail = string(e.Reason)
		}
		short = append(short, string(e.Type)+" "+detail)
	}
	return short
}

// agree checks that the events, replayed, give the list, case 18 (docs/cases.md),
// and that each event is one of those that may follow the one before.
func (tr *trial) agree() {
	tr.Helper()
	if tr.forgot {
		return
	}
	tr.sweep() // so that AWAY has been told where it is shown
	tr.listen()
	replayed := map[string]presence.Status{}
	for userID, events := range tr.told {
		for _, e := range events {
			_, isOnline := replayed[userID]
			require.Equal(tr, e.Type != presence.EventOnline, isOnline, "%s of %s", e.Type, userID)
			if e.Type == presence.EventOffline {
				delete(replayed, userID)
				continue
			}
			replayed[userID] = e.Presence.Status
		}
	}
	listed := map[string]presence.Status{}
	for _, row := range tr.walk(presence.LastActiveDesc, presence.Filter{}, presence.MaxFirst) {
		listed[row.UserID] = row.Status
	}
	require.Equal(tr, listed, replayed)
	stats, err := tr.Store.Stats(tr.Context())
	require.NoError(tr, err)
	require.Len(tr, stats.OnlineByShard, tr.Store.Shards())
	sum := 0
	for _, n := range stats.OnlineByShard {
		sum += n
	}
	require.Equal(tr, len(listed), sum)
}
