package presencetest

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"rollcall/internal/presence"
)

func (m *model) signIn(t *rapid.T) {
	nonce := rapid.Uint32Max(3).Draw(t, "nonce") // few, so that some sign-ins come twice
	m.beat(t, presence.Beat{UserID: drawUser(t), DeviceID: drawDevice(t), Nonce: nonce, Kind: drawKind(t)})
}

// beatOn is the next beat of a session as its client would send it.
func (m *model) beatOn(t *rapid.T) {
	user := drawUser(t)
	known := m.epochs[user]
	if len(known) == 0 {
		return
	}
	m.beat(t, presence.Beat{UserID: user, DeviceID: m.device[user], Epoch: slices.Max(known), Kind: drawKind(t)})
}

func (m *model) beatAny(t *rapid.T) {
	user := drawUser(t)
	m.beat(t, presence.Beat{UserID: user, DeviceID: drawDevice(t), Epoch: m.drawEpoch(t, user), Kind: drawKind(t)})
}

func (m *model) beatMany(t *rapid.T) {
	var beats []presence.Beat
	for range rapid.IntRange(2, 5).Draw(t, "beats") {
		user := drawUser(t)
		beats = append(beats, presence.Beat{UserID: user, DeviceID: drawDevice(t), Epoch: m.drawEpoch(t, user), Kind: drawKind(t)})
	}
	m.beat(t, beats...)
}

// drawEpoch is none, one of an earlier answer, or a forged one.
func (m *model) drawEpoch(t *rapid.T, user string) presence.Epoch {
	now := presence.Epoch(m.clock.Now())
	lead := presence.Epoch(presence.EpochLead.Milliseconds())
	epochs := []presence.Epoch{0, 1, now, now + lead, now + lead + 1}
	for _, e := range m.epochs[user] {
		epochs = append(epochs, e, e, e+1, e-1)
	}
	return rapid.SampledFrom(epochs).Draw(t, "epoch")
}

func (m *model) beat(t *rapid.T, beats ...presence.Beat) {
	before := m.presences(t)
	a, err := m.a.Store.Beat(context.Background(), beats)
	require.NoError(t, err)
	b, err := m.b.Store.Beat(context.Background(), beats)
	require.NoError(t, err)
	require.Len(t, a, len(beats))
	require.Len(t, b, len(beats))
	for i, r := range a {
		sameError(t, r.Err, b[i].Err)
		require.Equal(t, r.Now, b[i].Now)
		if r.Err != nil {
			m.seen.take(EpochAhead, errors.Is(r.Err, presence.ErrEpochAhead))
			m.seen.take(LateBeatAfterEnd, errors.Is(r.Err, presence.ErrSessionEnded))
			m.seen.take(ReplacedBeat, errors.Is(r.Err, presence.ErrSessionReplaced))
			continue
		}
		require.Equal(t, r, b[i])
		m.accepted(beats[i], r, before[beats[i].UserID], len(beats) == 1)
	}
}

func (m *model) accepted(b presence.Beat, r presence.BeatResult, was presence.Presence, alone bool) {
	m.seen.take(Takeover, r.Outcome == presence.ReplacedOtherDevice)
	m.seen.take(LeaseKept, r.LeaseEnd > r.Now.Add(m.rules.Lease(b.Kind)))
	if alone {
		m.seen.take(ResumedAfterExpiry, r.Outcome == presence.Resumed && was.Epoch == b.Epoch)
		m.seen.take(AdoptedAfterLoss, r.Outcome == presence.Resumed && was.Epoch == 0 && m.lost)
		m.seen.take(AdoptedNewer, r.Outcome == presence.Refreshed && was.Epoch < b.Epoch)
	}
	if !slices.Contains(m.epochs[b.UserID], r.Epoch) {
		m.epochs[b.UserID] = append(m.epochs[b.UserID], r.Epoch)
	}
	m.leases[b.UserID], m.device[b.UserID] = r.LeaseEnd, b.DeviceID
	m.due(r.LeaseEnd)
	if b.Kind == presence.Active {
		m.due(r.Now.Add(m.rules.AwayAfter))
	}
}

func (m *model) signOut(t *rapid.T) {
	user := drawUser(t)
	if epoch := m.drawEpoch(t, user); epoch != 0 {
		m.end(t, user, epoch, presence.SignedOut)
	}
}

func (m *model) disconnect(t *rapid.T) { m.end(t, drawUser(t), 0, presence.Disconnected) }

func (m *model) end(t *rapid.T, user string, epoch presence.Epoch, reason presence.Reason) {
	was := m.presences(t)[user]
	a, errA := m.a.Store.End(context.Background(), user, epoch, reason)
	b, errB := m.b.Store.End(context.Background(), user, epoch, reason)
	sameError(t, errA, errB)
	require.Equal(t, a, b)
	m.seen.take(LateEnd, epoch != 0 && was.Status != presence.Offline && epoch < was.Epoch)
	m.due(m.clock.Now().Add(presence.SeenFor))
}

func (m *model) sweep(t *rapid.T) {
	a := Sweep(context.Background(), t, m.a.Store)
	b := Sweep(context.Background(), t, m.b.Store)
	a.Forgotten, b.Forgotten = 0, 0 // each in its own time
	require.Equal(t, a, b)
	m.seen.take(ExpiredBySweep, a.Expired > 0)
	m.due(a.Now.Add(m.rules.Gap()))
	for user, p := range m.presences(t) {
		if p.Status != presence.Offline && m.leases[user] <= a.Now {
			m.seen.take(InGrace, true)
			m.due(a.Now.Add(m.rules.TTL))
		}
	}
}

func (m *model) setLevels(t *rapid.T) {
	level := rapid.SampledFrom([]int{presence.NoLevel, 0, 1, 1, 2, presence.MaxLevel})
	levels := rapid.MapOfN(rapid.SampledFrom(userIDs()), level, 1, 5).Draw(t, "levels")
	require.NoError(t, m.a.Store.SetLevels(context.Background(), levels))
	require.NoError(t, m.b.Store.SetLevels(context.Background(), levels))
}

func (m *model) keepPosition(t *rapid.T) { m.kept = append(m.kept, m.tail(t)) }

// resume reads on from an earlier position.
func (m *model) resume(t *rapid.T) {
	if len(m.kept) == 0 {
		return
	}
	p := rapid.SampledFrom(m.kept).Draw(t, "position")
	for shard := range p.a {
		after, errA := m.byUser(m.a, shard, p.a[shard])
		same, errB := m.byUser(m.b, shard, p.b[shard])
		sameError(t, errA, errB)
		require.Equal(t, after, same)
		m.seen.take(PositionLost, errors.Is(errA, presence.ErrTrimmed))
		m.seen.take(PositionResumed, len(after) > 0)
	}
}

// byUser is the events of one shard after an entry, without what is each
// store's own, by user. Half of them by Follow, which must tell the same at once.
func (m *model) byUser(f Fixture, shard int, after presence.EventID) (map[string][]presence.Event, error) {
	events, _, err := f.Store.Range(context.Background(), shard, after)
	if err == nil && len(events)%2 == 1 {
		events, _, err = f.Store.Follow(context.Background(), shard, after, time.Minute)
	}
	told := map[string][]presence.Event{}
	for _, e := range events {
		e.ID = presence.EventID{}
		told[e.Presence.UserID] = append(told[e.Presence.UserID], e)
	}
	return told, err
}
