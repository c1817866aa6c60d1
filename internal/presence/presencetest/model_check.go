package presencetest

import (
	"context"
	"errors"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"rollcall/internal/presence"
)

// check compares what must be equal at any time: presences, balance and events.
func (m *model) check(t *rapid.T) {
	known := m.presences(t)
	for user, p := range known {
		m.seen.take(Forgotten, p.Epoch == 0 && m.known[user].Epoch != 0)
	}
	m.known = known
	a, err := m.a.Store.Stats(context.Background())
	require.NoError(t, err)
	b, err := m.b.Store.Stats(context.Background())
	require.NoError(t, err)
	require.Equal(t, a.OnlineByShard, b.OnlineByShard)
	m.compareEvents(t)
	m.compareWalk(t, presence.LastActiveDesc, presence.Filter{})
	m.compareWalk(t, presence.LevelAsc, presence.Filter{})
}

func (m *model) presences(t *rapid.T) map[string]presence.Presence {
	a, err := m.a.Store.Presences(context.Background(), userIDs())
	require.NoError(t, err)
	b, err := m.b.Store.Presences(context.Background(), userIDs())
	require.NoError(t, err)
	require.Equal(t, a, b)
	byUser := map[string]presence.Presence{}
	for _, p := range a {
		byUser[p.UserID] = p
	}
	return byUser
}

func (m *model) compareEvents(t *rapid.T) {
	if m.read.a == nil {
		m.read = m.tail(t)
		return
	}
	for shard := range m.read.a {
		a, last, errA := m.a.Store.Range(context.Background(), shard, m.read.a[shard])
		told, _ := m.byUser(m.a, shard, m.read.a[shard])
		same, errB := m.byUser(m.b, shard, m.read.b[shard])
		sameError(t, errA, errB)
		if errA != nil {
			require.ErrorIs(t, errA, presence.ErrTrimmed)
			m.read = positions{} // until after the next command, which finds the stores empty
			return
		}
		require.Equal(t, told, same)
		_, lastB, err := m.b.Store.Range(context.Background(), shard, m.read.b[shard])
		require.NoError(t, err)
		m.read.a[shard], m.read.b[shard] = last, lastB
		for _, e := range a {
			m.hear(e)
		}
	}
}

// hear counts what the events show.
func (m *model) hear(e presence.Event) {
	user := e.Presence.UserID
	before := m.told[user]
	m.seen.take(SettledByBeat, e.Type == presence.EventOnline && before.Reason == presence.Expired && before.At == e.At)
	m.seen.take(OnlineAsAway, e.Type == presence.EventOnline && e.Presence.Status == presence.Away)
	m.seen.take(AwayAndBack, e.Type == presence.EventUpdated && e.Presence.Status == presence.Online &&
		before.Type == presence.EventUpdated && before.Presence.Status == presence.Away)
	m.told[user] = e
	if e.Type == presence.EventOffline {
		m.due(e.At.Add(presence.SeenFor))
	}
}

// sameError compares errors by what a caller can tell of them.
func sameError(t *rapid.T, a, b error) {
	for _, known := range []error{
		presence.ErrSessionReplaced, presence.ErrSessionEnded, presence.ErrEpochAhead, presence.ErrTrimmed,
	} {
		require.Equal(t, errors.Is(a, known), errors.Is(b, known), "%v, but %v", a, b)
	}
	require.Equal(t, a == nil, b == nil, "%v, but %v", a, b)
}

func drawOrder(t *rapid.T) presence.Order { return rapid.SampledFrom(orders()).Draw(t, "order") }

func drawFilter(t *rapid.T) presence.Filter { return rapid.SampledFrom(filters()).Draw(t, "filter") }

// page asks for a page from the start.
func (m *model) page(t *rapid.T) {
	m.comparePage(t, presence.PageRequest{
		Order: drawOrder(t), Filter: drawFilter(t), First: rapid.IntRange(0, 4).Draw(t, "first"),
	})
}

// nextPage goes on from a row of any page so far, wherever its user is by now.
func (m *model) nextPage(t *rapid.T) {
	if len(m.marks) == 0 {
		return
	}
	from := rapid.SampledFrom(m.marks).Draw(t, "mark")
	now := m.presences(t)[from.at.UserID]
	m.seen.take(StaleMark, now.Status == presence.Offline || now.LastActiveAt != from.at.LastActiveAt)
	m.comparePage(t, presence.PageRequest{
		Order: from.order, Filter: from.filter, First: rapid.IntRange(1, 4).Draw(t, "first"), After: &from.at,
	})
}

func (m *model) comparePage(t *rapid.T, req presence.PageRequest) presence.Page {
	a, err := m.a.Store.Page(context.Background(), req)
	require.NoError(t, err)
	b, err := m.b.Store.Page(context.Background(), req)
	require.NoError(t, err)
	require.Equal(t, a.Total, b.Total)
	if req.First == 0 || req.Order == presence.Unordered {
		return a // no more is promised; walk compares who is met
	}
	require.Equal(t, canonical(a, req.Order), canonical(b, req.Order), "%+v", req)
	for i, row := range a.Rows {
		m.marks = append(m.marks, mark{req.Order, req.Filter, row.After})
		if i > 0 {
			m.countNeighbours(a.Rows[i-1], row, req.Order)
		}
	}
	return a
}

func (m *model) countNeighbours(a, b presence.Row, order presence.Order) {
	m.seen.take(EqualScores, a.LastActiveAt == b.LastActiveAt && (!order.ByLevel() || a.After.Level == b.After.Level))
	m.seen.take(NoLevelLast, order == presence.LevelAsc && a.After.Level >= 0 && b.After.Level == presence.NoLevel)
}

// canonical is a page without what its order leaves open.
func canonical(p presence.Page, order presence.Order) presence.Page {
	rows := make([]presence.Row, len(p.Rows))
	for i, row := range p.Rows {
		row.After = bare(row.After, order)
		rows[i] = row
	}
	p.Rows = rows
	if p.End != nil {
		end := bare(*p.End, order)
		p.End = &end
	}
	return p
}

func bare(at presence.Mark, order presence.Order) presence.Mark {
	at.Scan = presence.Scan{}
	if !order.ByLevel() {
		at.Level = 0
	}
	return at
}

// walk goes through the whole list.
func (m *model) walk(t *rapid.T) { m.compareWalk(t, drawOrder(t), drawFilter(t)) }

func (m *model) compareWalk(t *rapid.T, order presence.Order, f presence.Filter) {
	if order == presence.Unordered {
		require.Equal(t, scanned(t, m.a, f), scanned(t, m.b, f))
		return
	}
	req := presence.PageRequest{Order: order, Filter: f, First: 2}
	for pages := 0; ; pages++ {
		require.Less(t, pages, walkBound, "the walk ends")
		page := m.comparePage(t, req)
		if !page.HasNext {
			return
		}
		req.After = page.End
	}
}

// scanned is everybody met in an unordered walk.
func scanned(t *rapid.T, f Fixture, filter presence.Filter) []string {
	var rows []presence.Row
	req := presence.PageRequest{Order: presence.Unordered, Filter: filter, First: 2}
	for pages := 0; ; pages++ {
		require.Less(t, pages, walkBound, "the walk ends")
		page, err := f.Store.Page(context.Background(), req)
		require.NoError(t, err)
		rows = append(rows, page.Rows...)
		if !page.HasNext {
			return unique(rows)
		}
		req.After = page.End
	}
}
