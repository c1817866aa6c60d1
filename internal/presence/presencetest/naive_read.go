package presencetest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"rollcall/internal/presence"
)

func (n *Naive) presence(id string) presence.Presence {
	p := n.people[id]
	if p == nil || n.isForgotten(p) {
		return presence.Presence{UserID: id, Status: presence.Offline}
	}
	known := presence.Presence{UserID: id, Status: presence.Offline, LastActiveAt: p.active, Epoch: p.epoch}
	if p.online {
		known.Status, known.OnlineSince, known.DeviceID = presence.Online, p.since, p.device
		if n.isAway(p) {
			known.Status = presence.Away
		}
	}
	return known
}

// Presences implements [presence.Store].
func (n *Naive) Presences(_ context.Context, ids []string) ([]presence.Presence, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var known []presence.Presence
	for _, id := range ids {
		known = append(known, n.presence(id))
	}
	return known, nil
}

// Page implements [presence.Store].
func (n *Naive) Page(_ context.Context, req presence.PageRequest) (presence.Page, error) {
	if err := req.Check(n.options.LevelIndex); err != nil {
		return presence.Page{}, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	var rows []presence.Row
	for id, p := range n.people {
		known := n.presence(id)
		if p.online && passes(req.Filter, known.Status, p.level) {
			rows = append(rows, presence.Row{
				UserID: id, LastActiveAt: p.active, Status: known.Status,
				After: presence.Mark{UserID: id, LastActiveAt: p.active, Level: p.level},
			})
		}
	}
	slices.SortFunc(rows, func(a, b presence.Row) int { return inOrder(req.Order, a.After, b.After) })
	start := 0
	if req.After != nil {
		for start < len(rows) && inOrder(req.Order, rows[start].After, *req.After) <= 0 {
			start++
		}
	}
	stop := min(start+req.First, len(rows))
	page := presence.Page{
		Total: len(rows), Rows: rows[start:stop], HasNext: stop < len(rows), HasPrevious: start > 0,
	}
	if req.Order == presence.Unordered {
		page.HasPrevious = req.After != nil
	}
	if stop > start {
		page.End = &rows[stop-1].After
	}
	return page, nil
}

func passes(f presence.Filter, status presence.Status, level int) bool {
	if f.Levels != nil && (level == presence.NoLevel || level < f.Levels.Min || level > f.Levels.Max) {
		return false
	}
	return f.Status == "" || f.Status == status
}

// inOrder compares two rows' marks as the order's comment says.
func inOrder(order presence.Order, a, b presence.Mark) int {
	activityThenID := cmp.Or(cmp.Compare(a.LastActiveAt, b.LastActiveAt), cmp.Compare(a.UserID, b.UserID))
	switch order {
	case presence.LastActiveAsc:
		return activityThenID
	case presence.LastActiveDesc:
		return -activityThenID
	case presence.LevelDesc:
		return -cmp.Or(cmp.Compare(a.Level, b.Level), activityThenID)
	case presence.LevelAsc:
		if (a.Level == presence.NoLevel) != (b.Level == presence.NoLevel) {
			return -cmp.Compare(a.Level, b.Level)
		}
		return cmp.Or(cmp.Compare(a.Level, b.Level), activityThenID)
	}
	return cmp.Compare(a.UserID, b.UserID)
}

// Stats implements [presence.Store].
func (n *Naive) Stats(context.Context) (presence.Stats, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	stats := presence.Stats{OnlineByShard: make([]int, n.options.Shards), UsedMemory: 1}
	for id, p := range n.people {
		if p.online {
			stats.OnlineByShard[n.shard(id)]++
		}
	}
	return stats, nil
}

// Tail implements [presence.Log].
func (n *Naive) Tail(context.Context) (presence.Position, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var tail presence.Position
	for i := range n.shards {
		log := n.open(i, false).log
		tail = append(tail, log[len(log)-1].ID)
	}
	return tail, nil
}

// Range implements [presence.Log].
func (n *Naive) Range(_ context.Context, shard int, after presence.EventID) ([]presence.Event, presence.EventID, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	log := n.shards[shard].log
	for i, e := range log {
		if e.ID == after {
			return slices.Clone(log[i+1:]), log[len(log)-1].ID, nil
		}
	}
	return nil, presence.EventID{}, presence.ErrTrimmed
}

// Follow implements [presence.Log], by asking again and again.
func (n *Naive) Follow(ctx context.Context, shard int, after presence.EventID, wait time.Duration) ([]presence.Event, presence.EventID, error) {
	over := time.After(wait)
	again := time.NewTicker(time.Millisecond)
	defer again.Stop()
	for {
		events, last, err := n.Range(ctx, shard, after)
		if err != nil || len(events) > 0 {
			return events, last, err
		}
		select {
		case <-again.C:
		case <-over:
			return nil, last, nil
		case <-ctx.Done():
			return nil, presence.EventID{}, ctx.Err()
		}
	}
}

// Subscribers implements [presence.Store]: there is no other node.
func (*Naive) Subscribers(_ context.Context, own int) (int, error) { return own, nil }
