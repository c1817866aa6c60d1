package memstore

import "rollcall/internal/presence"

// scanBound is how many users one page of an unordered walk looks at, however
// few of them the filter leaves.
const scanBound = 2 * presence.MaxFirst

// scan is a page of an unordered walk, which goes by user id.
func (s *Store) scan(req presence.PageRequest, total int, now presence.Millis) presence.Page {
	page := presence.Page{Total: total, HasPrevious: req.After != nil}
	all := span{of: s.list.byID, to: place{score: 1}}
	if req.After != nil {
		all.from = place{id: req.After.UserID}.next()
	}
	w := newWalk(all, false)
	for seen := 0; w.ok && seen < scanBound && len(page.Rows) < req.First; w.next() {
		seen++
		page.End = &presence.Mark{UserID: w.at.id}
		if s.leaves(w.at.id, req.Filter, now) {
			row := s.row(w.at.id, req.Order, now)
			row.After = *page.End
			page.Rows = append(page.Rows, row)
		}
	}
	page.HasNext = w.ok
	return page
}

// leaves reports whether an online user passes the filter.
func (s *Store) leaves(id string, f presence.Filter, now presence.Millis) bool {
	u := s.users[id]
	if f.Levels != nil && (u.level == presence.NoLevel || u.level < f.Levels.Min || u.level > f.Levels.Max) {
		return false
	}
	return f.Status == "" || f.Status == u.status(now, s.rules)
}
