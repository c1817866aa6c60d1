package memstore

import (
	"cmp"
	"sort"

	"github.com/tidwall/btree"

	"rollcall/internal/presence"
)

// place is one user's entry in an index.
type place struct {
	score int64
	id    string
}

func (a place) compare(b place) int {
	return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.id, b.id))
}

// next is the first possible place after a.
func (a place) next() place { return place{a.score, a.id + "\x00"} }

// index is users in the order of a score, equal scores in that of the ids.
type index struct{ tree *btree.BTreeG[place] }

// The lock of the store is enough; concurrent reads of a tree are safe.
func newIndex() index {
	return index{btree.NewBTreeGOptions(
		func(a, b place) bool { return a.compare(b) < 0 }, btree.Options{NoLocks: true})}
}

// rank is the number of places before p.
func (x index) rank(p place) int {
	if last, ok := x.tree.Max(); !ok || last.compare(p) < 0 {
		return x.tree.Len() // as for most spans, without a search
	}
	return sort.Search(x.tree.Len(), func(i int) bool {
		at, _ := x.tree.GetAt(i)
		return at.compare(p) >= 0
	})
}

// first is the first place that is not before from.
func (x index) first(from place) (p place, ok bool) {
	x.tree.Ascend(from, func(at place) bool {
		p, ok = at, true
		return false
	})
	return p, ok
}

// due is the first place if its score has come.
func (x index) due(now presence.Millis) (place, bool) {
	first, ok := x.tree.Min()
	return first, ok && first.score <= int64(now)
}

// score is where a user belongs in an index, if at all.
type score struct {
	value  int64
	listed bool
}

// move brings a user from one score to another.
func (x index) move(id string, from, to score) {
	if from == to {
		return
	}
	if from.listed {
		x.tree.Delete(place{from.value, id})
	}
	if to.listed {
		x.tree.Set(place{to.value, id})
	}
}
