package redisstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"rollcall/internal/presence"
)

// Bounds of a page when the filter leaves few: how many steps it takes, each of
// which looks at least at so many users.
const (
	maxScanSteps = 32
	leastScan    = 100
)

var errWalk = presence.Invalid("the cursor is of a walk that a resharding has ended; begin anew")

// scanPage is a page of the unordered walk: shard after shard, step by step
// with ZSCAN.
//
// A step answers with about as many users as asked for, or, where Redis keeps
// the set as a listpack, with all of them at once. Such a complete answer is
// given out by user id, in several pages if need be; the mark then says
// behind which id. If the set has outgrown the listpack by the next page, the
// scan starts over and leaves out the ids up to there: whoever stayed online
// and has such an id was in the complete answer.
func (s *Store) scanPage(ctx context.Context, g *generation, req presence.PageRequest) (presence.Page, error) {
	page := presence.Page{HasPrevious: req.After != nil}
	at := presence.Mark{Level: presence.NoLevel, Scan: presence.Scan{Shards: g.shards}}
	if req.After != nil {
		at.Scan, at.UserID = req.After.Scan, req.After.UserID
	}
	if at.Scan.Shards != g.shards {
		return page, errWalk
	}
	total, err := s.orderedPage(ctx, g, presence.PageRequest{Order: presence.LastActiveDesc, Filter: req.Filter})
	if err != nil {
		return page, err
	}
	page.Total = total.Total
	for range maxScanSteps {
		if at.Scan.Shard >= g.shards || len(page.Rows) >= req.First {
			break
		}
		rows, after, err := s.scanStep(ctx, g, req, at, req.First-len(page.Rows))
		if err != nil {
			return page, err
		}
		page.Rows = append(page.Rows, rows...)
		at = after
	}
	page.HasNext = at.Scan.Shard < g.shards
	page.End = &at
	return page, nil
}

// scanStep is one step from a place, and the place behind it.
func (s *Store) scanStep(
	ctx context.Context, g *generation, req presence.PageRequest, at presence.Mark, want int,
) ([]presence.Row, presence.Mark, error) {
	keys := g.keys[at.Scan.Shard]
	key := keys.online
	if req.Filter.Levels != nil {
		key = keys.level
	}
	least, greatest := levelArgs(req.Filter)
	args := append(s.readArgs(g, 6), s.opts.Rules.AwayAfter.Milliseconds(), string(req.Filter.Status), least, greatest,
		strconv.FormatUint(at.Scan.Cursor, 10), max(want, leastScan))
	answers, err := s.run(ctx, g, s.scripts.scan, []call{{at.Scan.Shard, []string{keys.meta, key}, args}})
	if err != nil {
		return nil, at, err
	}
	r := newReader(answers[0])
	away := presence.Millis(r.number()).Add(-s.opts.Rules.AwayAfter)
	cursor, err := strconv.ParseUint(r.text(), 10, 64)
	if err != nil {
		return nil, at, fmt.Errorf("scan: %w", errReply("a cursor", answers[0]))
	}
	var rows []presence.Row
	for r.more() {
		m := at // resumes before this step's users; see Row.After
		user, active := r.text(), presence.Millis(r.number())
		if user <= at.UserID {
			continue
		}
		seen := row(presence.Mark{UserID: user, LastActiveAt: active}, away)
		seen.After = m
		rows = append(rows, seen)
	}
	if r.err != nil {
		return nil, at, fmt.Errorf("scan: %w", r.err)
	}
	complete := at.Scan.Cursor == 0 && cursor == 0
	if complete {
		slices.SortFunc(rows, func(a, b presence.Row) int { return cmp.Compare(a.UserID, b.UserID) })
		for i := range rows {
			rows[i].After.UserID = rows[i].UserID
		}
		if len(rows) > want {
			rows = rows[:want]
			return rows, rows[want-1].After, nil
		}
	}
	after := at
	after.Scan.Cursor = cursor
	if cursor == 0 {
		after = presence.Mark{Level: presence.NoLevel, Scan: presence.Scan{Shards: g.shards, Shard: at.Scan.Shard + 1}}
	}
	if n := len(rows); n > 0 {
		rows[n-1].After = after
	}
	return rows, after, nil
}
