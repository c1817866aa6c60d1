package memstore

import (
	"context"

	"rollcall/internal/presence"
)

// Page implements [presence.Store]. An ordered page is read from spans of an
// index, so that its cost does not grow with the list.
func (s *Store) Page(_ context.Context, req presence.PageRequest) (presence.Page, error) {
	if err := req.Check(s.levelIndex); err != nil || req.Filter.Empty() {
		return presence.Page{}, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	now := s.now()
	spans := s.spans(req, now)
	total := count(spans)
	switch {
	case req.First == 0:
		return presence.Page{Total: total}, nil
	case req.Order == presence.Unordered:
		return s.scan(req, total, now), nil
	}

	rest, remaining := spans, total
	if req.After != nil {
		rest = after(spans, req)
		remaining = count(rest)
	}
	var places []place
	if req.Order.ByLevel() {
		places = chain(rest, req)
	} else {
		places = merge(rest, req)
	}
	page := presence.Page{Total: total}
	for _, p := range places {
		page.Rows = append(page.Rows, s.row(p.id, req.Order, now))
	}
	page.HasNext = remaining > len(page.Rows)
	page.HasPrevious = remaining < total
	if n := len(page.Rows); n > 0 {
		page.End = &page.Rows[n-1].After
	}
	return page, nil
}

func (s *Store) row(id string, order presence.Order, now presence.Millis) presence.Row {
	u := s.users[id]
	row := presence.Row{UserID: id, LastActiveAt: u.lastActive, Status: u.status(now, s.rules)}
	row.After = presence.Mark{UserID: id, LastActiveAt: u.lastActive}
	if order.ByLevel() {
		row.After.Level = u.level
	}
	return row
}
