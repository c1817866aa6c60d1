package presencetest

import (
	"context"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// patience is how long a test waits, in real time, for what should come at once.
const patience = 10 * time.Second

// logs are the record of events, read at once or followed.
func logs() []test {
	return []test{
		{name: "a log begins with no event", run: genesis},
		{name: "each position resumes behind it", run: everyPosition},
		{name: "a position survives being carried", run: carriedPosition},
		{name: "following tells at once what is there", run: followsPast},
		{name: "following waits for what comes", run: followsFuture},
		{name: "following ends when told", run: followEnds},
		{name: "a trimmed position is reported", run: trimmed, adjust: func(o *Options) { o.Shards, o.EventLog = 1, 50 }},
		{name: "a lost position is reported", run: lost},
		{name: "a follower notices the loss", run: followerNoticesLoss},
	}
}

func (tr *trial) after(shard int, after presence.EventID) ([]presence.Event, presence.EventID) {
	tr.Helper()
	events, last, err := tr.Store.Range(tr.Context(), shard, after)
	require.NoError(tr, err)
	return events, last
}

func genesis(tr *trial) {
	start := tr.tail()
	require.Equal(tr, start, tr.tail())
	for shard, id := range start {
		events, last := tr.after(shard, id)
		require.Empty(tr, events)
		require.Equal(tr, id, last)
	}
	tr.signIn("ann", "phone")
	shard := presence.Shard("ann", len(start))
	events, last := tr.after(shard, start[shard])
	require.Len(tr, events, 1)
	require.Equal(tr, presence.EventOnline, events[0].Type)
	require.Equal(tr, events[0].ID, last)
	require.Equal(tr, last, tr.tail()[shard])
}

func everyPosition(tr *trial) {
	start := tr.tail()
	users := names("user", 10)
	for range 3 {
		tr.signInAll(users, presence.Active)
		tr.Clock.Advance(time.Millisecond)
		for _, id := range users {
			tr.end(id, 0, presence.Disconnected)
		}
	}
	for shard, id := range start {
		all, last := tr.after(shard, id)
		for i, e := range all {
			rest, end := tr.after(shard, e.ID)
			require.Equal(tr, last, end)
			require.Len(tr, rest, len(all)-i-1)
			for j := range rest {
				require.Equal(tr, all[i+1+j], rest[j])
			}
		}
	}
	for _, id := range users {
		require.Len(tr, tr.events(id), 6)
	}
}

func carriedPosition(tr *trial) {
	tr.signInAll(names("user", 30), presence.Active)
	before := tr.tail()
	back, err := presence.ParsePosition(before.Cursor())
	require.NoError(tr, err)
	require.Equal(tr, before, back)
	tr.end("user0007", 0, presence.Disconnected)
	count := 0
	for shard, id := range back {
		events, _ := tr.after(shard, id)
		count += len(events)
	}
	require.Equal(tr, 1, count)
}

func followsPast(tr *trial) {
	start := tr.tail()
	tr.signIn("ann", "phone")
	shard := presence.Shard("ann", len(start))
	events, last, err := tr.Store.Follow(tr.Context(), shard, start[shard], patience)
	require.NoError(tr, err)
	require.Len(tr, events, 1)
	require.Equal(tr, events[0].ID, last)

	events, same, err := tr.Store.Follow(tr.Context(), shard, last, 20*time.Millisecond)
	require.NoError(tr, err)
	require.Empty(tr, events)
	require.Equal(tr, last, same)
}

// following is the answer to a Follow under way.
type following struct {
	events []presence.Event
	last   presence.EventID
	err    error
}

func (tr *trial) follow(ctx context.Context, shard int, after presence.EventID, wait time.Duration) <-chan following {
	done := make(chan following, 1)
	go func() {
		events, last, err := tr.Store.Follow(ctx, shard, after, wait)
		done <- following{events, last, err}
	}()
	return done
}

func (tr *trial) await(done <-chan following) following {
	tr.Helper()
	select {
	case f := <-done:
		return f
	case <-time.After(patience):
		require.FailNow(tr, "still following")
		return following{}
	}
}

func followsFuture(tr *trial) {
	start := tr.tail()
	shard := presence.Shard("ann", len(start))
	done := tr.follow(tr.Context(), shard, start[shard], 2*patience)
	tr.signIn("ann", "phone")
	f := tr.await(done)
	require.NoError(tr, f.err)
	require.Len(tr, f.events, 1)
	require.Equal(tr, "ann", f.events[0].Presence.UserID)
	require.Equal(tr, f.events[0].ID, f.last)

	done = tr.follow(tr.Context(), shard, f.last, 2*patience)
	tr.end("ann", 0, presence.Disconnected)
	f = tr.await(done)
	require.NoError(tr, f.err)
	require.Len(tr, f.events, 1)
	require.Equal(tr, presence.EventOffline, f.events[0].Type)
}

func followEnds(tr *trial) {
	start := tr.tail()
	ctx, cancel := context.WithCancel(tr.Context())
	done := tr.follow(ctx, 0, start[0], 2*patience)
	cancel()
	require.ErrorIs(tr, tr.await(done).err, context.Canceled)
}

func trimmed(tr *trial) {
	start := tr.tail()[0]
	users := names("user", 500)
	tr.signInAll(users, presence.Active)
	recent := tr.tail()[0]
	tr.signIn("ann", "phone")
	tr.forgot = true

	_, _, err := tr.Store.Range(tr.Context(), 0, start)
	require.ErrorIs(tr, err, presence.ErrTrimmed)
	_, _, err = tr.Store.Follow(tr.Context(), 0, start, patience)
	require.ErrorIs(tr, err, presence.ErrTrimmed)
	_, _, err = tr.Store.Range(tr.Context(), 0, presence.EventID{})
	require.ErrorIs(tr, err, presence.ErrTrimmed)
	events, _ := tr.after(0, recent)
	require.Len(tr, events, 1)
}

func lost(tr *trial) {
	users := names("user", 20)
	tr.signInAll(users, presence.Active)
	before := tr.tail()
	tr.lose()
	for shard, id := range before {
		_, _, err := tr.Store.Range(tr.Context(), shard, id)
		require.ErrorIs(tr, err, presence.ErrTrimmed)
	}
	// The new logs hold as many entries as the old ones, but none of them.
	tr.signInAll(users, presence.Active)
	for shard, id := range before {
		_, _, err := tr.Store.Range(tr.Context(), shard, id)
		require.ErrorIs(tr, err, presence.ErrTrimmed)
		_, _, err = tr.Store.Follow(tr.Context(), shard, id, patience)
		require.ErrorIs(tr, err, presence.ErrTrimmed)
	}
}

// A Follow under way at the loss may wait for its time to end, not longer.
func followerNoticesLoss(tr *trial) {
	start := tr.tail()
	done := tr.follow(tr.Context(), 0, start[0], 100*time.Millisecond)
	tr.lose()
	f := tr.await(done)
	if f.err == nil { // it ended before the loss
		_, _, f.err = tr.Store.Follow(tr.Context(), 0, start[0], 100*time.Millisecond)
	}
	require.ErrorIs(tr, f.err, presence.ErrTrimmed)
}
