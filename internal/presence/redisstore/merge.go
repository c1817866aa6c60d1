package redisstore

import (
	"cmp"
	"container/heap"
	"strings"

	"rollcall/internal/presence"
)

// head is what has been read of one shard's list and not yet given out.
type head struct {
	shard int
	rows  []presence.Row
	mark  *presence.Mark // behind the last row read
	left  bool           // the shard has more behind it
}

// newHeads are all shards, to be read from a mark on; nil: from the beginning.
func newHeads(g *generation, mark *presence.Mark) []*head {
	heads := make([]*head, g.shards)
	for shard := range heads {
		heads[shard] = &head{shard: shard, mark: mark, left: true}
	}
	return heads
}

// merge moves rows from the heads into the page, in the request's order, until
// the page is full or no more are known to come next. It returns the heads that must be
// read further before it can go on; nil when the page is complete.
func merge(req presence.PageRequest, heads []*head, page *presence.Page) (dry []*head) {
	h := &headHeap{order: req.Order}
	for _, head := range heads {
		switch {
		case len(head.rows) > 0:
			h.heads = append(h.heads, head)
		case head.left && len(page.Rows) < req.First:
			dry = append(dry, head)
		}
	}
	if dry != nil {
		return dry
	}
	heap.Init(h)
	for len(h.heads) > 0 && len(page.Rows) < req.First {
		next := h.heads[0]
		page.Rows = append(page.Rows, next.rows[0])
		next.rows = next.rows[1:]
		switch {
		case len(next.rows) > 0:
			heap.Fix(h, 0)
		case next.left && len(page.Rows) < req.First:
			return []*head{next}
		default:
			heap.Pop(h)
		}
	}
	return nil
}

// headHeap has the head on top whose first row comes next in the order.
type headHeap struct {
	order presence.Order
	heads []*head
}

func (h *headHeap) Len() int { return len(h.heads) }

func (h *headHeap) Less(i, j int) bool {
	return compare(h.order, &h.heads[i].rows[0].After, &h.heads[j].rows[0].After) < 0
}

func (h *headHeap) Swap(i, j int) { h.heads[i], h.heads[j] = h.heads[j], h.heads[i] }

func (h *headHeap) Push(x any) { h.heads = append(h.heads, x.(*head)) }

func (h *headHeap) Pop() any {
	last := len(h.heads) - 1
	popped := h.heads[last]
	h.heads = h.heads[:last]
	return popped
}

// compare orders places in the list; see presence.Order.
func compare(order presence.Order, a, b *presence.Mark) int {
	c := 0
	if order.ByLevel() {
		if without := (a.Level == presence.NoLevel); without != (b.Level == presence.NoLevel) {
			if without {
				return 1
			}
			return -1
		}
		c = cmp.Compare(a.Level, b.Level)
	}
	c = cmp.Or(c, cmp.Compare(a.LastActiveAt, b.LastActiveAt), strings.Compare(a.UserID, b.UserID))
	if order.Descending() {
		return -c
	}
	return c
}
