package redisstore

import (
	"context"
	"fmt"
	"slices"

	"rollcall/internal/presence"
)

// Page implements presence.Store: each shard's share by page.lua, all in one
// round trip, merged; a shard whose share runs dry is asked again.
func (s *Store) Page(ctx context.Context, req presence.PageRequest) (presence.Page, error) {
	if err := req.Check(s.opts.LevelIndex); err != nil || req.Filter.Empty() {
		return presence.Page{}, err
	}
	g := s.current()
	if req.Order == presence.Unordered && req.First > 0 {
		return s.scanPage(ctx, g, req)
	}
	return s.orderedPage(ctx, g, req)
}

func (s *Store) orderedPage(ctx context.Context, g *generation, req presence.PageRequest) (presence.Page, error) {
	var page presence.Page
	heads := newHeads(g, req.After)
	dry := slices.Clone(heads)
	least := shardShare(req.First, g.shards)
	share := min(req.First, least+g.margin.more())
	for first := true; ; first = false {
		parts, err := s.fetch(ctx, g, req, dry, share)
		if err != nil {
			return presence.Page{}, err
		}
		if first {
			for _, p := range parts {
				page.Total += p.total
				page.HasPrevious = page.HasPrevious || p.preceded
			}
		}
		dry = merge(req, heads, &page)
		if first && least < req.First { // else it says nothing of shares
			g.margin.learn(dry != nil)
		}
		if dry == nil {
			break
		}
	}
	for _, h := range heads {
		page.HasNext = page.HasNext || h.left || len(h.rows) > 0
	}
	if n := len(page.Rows); n > 0 {
		page.End = &page.Rows[n-1].After
	}
	return page, nil
}

// part is what page.lua tells of a shard besides its rows.
type part struct {
	total    int
	preceded bool // by rows before the mark
}

// fetch asks the shards of heads for their next rows.
func (s *Store) fetch(ctx context.Context, g *generation, req presence.PageRequest, heads []*head, limit int) ([]part, error) {
	calls := make([]call, len(heads))
	for i, h := range heads {
		k := g.keys[h.shard]
		calls[i] = call{h.shard, []string{k.meta, k.online, k.level}, s.pageArgs(g, req, h.mark, limit)}
	}
	answers, err := s.run(ctx, g, s.scripts.page, calls)
	if err != nil {
		return nil, err
	}
	parts := make([]part, len(heads))
	for i, h := range heads {
		r := newReader(answers[i])
		now := presence.Millis(r.number())
		parts[i] = part{total: int(r.number()), preceded: r.number() == 1}
		h.left = r.number() == 1
		away := now.Add(-s.opts.Rules.AwayAfter)
		for r.more() {
			m := presence.Mark{UserID: r.text(), LastActiveAt: presence.Millis(r.number()), Level: int(r.number())}
			h.rows = append(h.rows, row(m, away))
			h.mark = &h.rows[len(h.rows)-1].After
		}
		if r.err != nil {
			return nil, fmt.Errorf("page: %w", r.err)
		}
	}
	return parts, nil
}

func row(m presence.Mark, away presence.Millis) presence.Row {
	r := presence.Row{UserID: m.UserID, LastActiveAt: m.LastActiveAt, Status: presence.Online, After: m}
	if m.LastActiveAt <= away {
		r.Status = presence.Away
	}
	return r
}

// pageArgs are the ARGV of page.lua.
func (s *Store) pageArgs(g *generation, req presence.PageRequest, mark *presence.Mark, limit int) []any {
	by := "active"
	if req.Order.ByLevel() {
		by = "level"
	}
	least, greatest := levelArgs(req.Filter)
	args := append(s.readArgs(g, 10), s.opts.Rules.AwayAfter.Milliseconds(), by, req.Order.Descending(),
		string(req.Filter.Status), least, greatest, limit)
	if mark != nil {
		args = append(args, mark.UserID, int64(mark.LastActiveAt), mark.Level)
	}
	return args
}

// levelArgs are a filter's levels as scripts take them: both empty for everybody.
func levelArgs(f presence.Filter) (least, greatest any) {
	if f.Levels == nil {
		return "", ""
	}
	return f.Levels.Min, f.Levels.Max
}
