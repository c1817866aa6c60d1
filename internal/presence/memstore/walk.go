package memstore

import (
	"slices"

	"github.com/tidwall/btree"

	"rollcall/internal/presence"
)

// walk goes through a span in one direction.
type walk struct {
	span span
	desc bool
	iter btree.IterG[place]
	at   place // where it stands, while ok
	ok   bool
}

func newWalk(sp span, desc bool) *walk {
	w := &walk{span: sp, desc: desc, iter: sp.of.tree.Iter()}
	switch {
	case !desc:
		w.stand(w.iter.Seek(sp.from))
	case w.iter.Seek(sp.to):
		w.stand(w.iter.Prev())
	default:
		w.stand(w.iter.Last())
	}
	return w
}

func (w *walk) next() {
	if w.desc {
		w.stand(w.iter.Prev())
	} else {
		w.stand(w.iter.Next())
	}
}

func (w *walk) stand(ok bool) {
	if w.ok = ok; !ok {
		return
	}
	w.at = w.iter.Item()
	w.ok = w.at.compare(w.span.from) >= 0 && w.at.compare(w.span.to) < 0
}

// chain is the first places of spans that follow one another.
func chain(spans []span, req presence.PageRequest) []place {
	var places []place
	for _, sp := range spans {
		for w := newWalk(sp, req.Order.Descending()); w.ok; w.next() {
			if len(places) == req.First {
				return places
			}
			places = append(places, w.at)
		}
	}
	return places
}

// merge is the first places of spans whose users mix in the order of activity.
func merge(spans []span, req presence.PageRequest) []place {
	desc := req.Order.Descending()
	order := func(a, b *walk) int {
		c := byActivity(a.at).compare(byActivity(b.at))
		if desc {
			return -c
		}
		return c
	}
	var heads []*walk // in order; the first stands at the next place
	push := func(w *walk) {
		if w.ok {
			i, _ := slices.BinarySearchFunc(heads, w, order)
			heads = slices.Insert(heads, i, w)
		}
	}
	for _, sp := range spans {
		push(newWalk(sp, desc))
	}
	var places []place
	for len(heads) > 0 && len(places) < req.First {
		first := heads[0]
		heads = heads[1:]
		places = append(places, first.at)
		first.next()
		push(first)
	}
	return places
}

// byActivity is p without the level in its score, if there is one.
func byActivity(p place) place { return place{p.score & latest, p.id} }
