package memstore

import (
	"slices"

	"rollcall/internal/presence"
)

// span is the part of an index from one place, included, to another, excluded.
type span struct {
	of       index
	from, to place
}

func count(spans []span) int {
	n := 0
	for _, sp := range spans {
		if sp.from.compare(sp.to) < 0 {
			n += sp.of.rank(sp.to) - sp.of.rank(sp.from)
		}
	}
	return n
}

// activity is a range of last activities, both ends included.
type activity struct{ least, most int64 }

const latest = presence.LevelUnit - 1

// activityOf is the range that a status leaves.
func activityOf(status presence.Status, now presence.Millis, rules presence.Rules) activity {
	mark := int64(now.Add(-rules.AwayAfter))
	switch status {
	case presence.Online:
		return activity{max(mark+1, 0), latest}
	case presence.Away:
		return activity{0, mark}
	}
	return activity{0, latest}
}

// spans are where the users whom the filter leaves are found, by level in the
// order's direction, those without a level last.
func (s *Store) spans(req presence.PageRequest, now presence.Millis) []span {
	act := activityOf(req.Filter.Status, now, s.rules)
	if req.Filter.Levels == nil && !req.Order.ByLevel() {
		return []span{{s.list.byActivity, place{score: act.least}, place{score: act.most + 1}}}
	}
	var spans []span
	if levels := req.Filter.Levels; levels != nil {
		spans = s.levelSpans(levels.Min, levels.Max, act)
	} else {
		spans = s.levelSpans(0, presence.MaxLevel, act)
	}
	if req.Order.Descending() {
		slices.Reverse(spans)
	}
	if req.Filter.Levels == nil {
		spans = append(spans, s.levelSpan(presence.NoLevel, act))
	}
	return spans
}

// levelSpans is one span for each level in the range that any user has, lowest
// first; it hops from level to level.
func (s *Store) levelSpans(least, most int, act activity) []span {
	var spans []span
	for level := least; level <= most; level++ {
		first, ok := s.list.byLevel.first(place{score: composite(level, 0)})
		if !ok || levelOf(first.score) > most {
			break
		}
		level = levelOf(first.score)
		spans = append(spans, s.levelSpan(level, act))
	}
	return spans
}

func (s *Store) levelSpan(level int, act activity) span {
	return span{
		of:   s.list.byLevel,
		from: place{score: composite(level, presence.Millis(act.least))},
		to:   place{score: composite(level, presence.Millis(act.most)) + 1},
	}
}

// after is what lies behind the mark of req.
func after(spans []span, req presence.PageRequest) []span {
	mark := *req.After
	var rest []span
	for _, sp := range spans {
		at := place{int64(mark.LastActiveAt), mark.UserID}
		level := levelOf(sp.from.score)
		if req.Order.ByLevel() || req.Filter.Levels != nil {
			at.score = composite(level, mark.LastActiveAt)
		}
		if req.Order.ByLevel() && level != mark.Level {
			if comesAfter(level, mark.Level, req.Order) {
				rest = append(rest, sp)
			}
			continue
		}
		if req.Order.Descending() {
			sp.to = earlier(sp.to, at)
		} else {
			sp.from = later(sp.from, at.next())
		}
		rest = append(rest, sp)
	}
	return rest
}

// comesAfter reports whether one level is listed after another.
func comesAfter(level, other int, order presence.Order) bool {
	switch {
	case level == presence.NoLevel:
		return true
	case other == presence.NoLevel:
		return false
	case order.Descending():
		return level < other
	}
	return level > other
}

func earlier(a, b place) place {
	if a.compare(b) < 0 {
		return a
	}
	return b
}

func later(a, b place) place {
	if a.compare(b) > 0 {
		return a
	}
	return b
}
