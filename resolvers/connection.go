package resolvers

import (
	"context"

	"rollcall/graph"
	"rollcall/internal/presence"
)

// pageRequest is what the arguments of a list ask for; null is the default.
func pageRequest(first *int, after *string, orderBy *presence.Order, f *graph.OnlineFilter) (presence.PageRequest, error) {
	req := presence.PageRequest{
		First: orElse(first, presence.DefaultFirst),
		Order: orElse(orderBy, presence.LastActiveDesc),
	}
	if f != nil {
		req.Filter = presence.NewFilter(orElse(f.Status, ""), f.MinLevel, f.MaxLevel)
	}
	if after == nil {
		return req, nil
	}
	var err error
	req.After, err = presence.DecodeCursor(*after, req.Order, req.Filter)
	return req, err
}

func orElse[T any](v *T, otherwise T) T {
	if v == nil {
		return otherwise
	}
	return *v
}

// selectsList tells whether anything is selected of the page but its total.
func selectsList(ctx context.Context) bool {
	return selects(ctx, "OnlineUserConnection", "edges", "nodes", "pageInfo")
}

// page reads a page, or only its total: a query that only counts reads no list.
func (r *root) page(ctx context.Context, req presence.PageRequest, lists bool) (*graph.OnlineUserConnection, error) {
	c := &graph.OnlineUserConnection{Request: req}
	var err error
	if lists {
		c.Page, err = r.Service.Page(ctx, req)
		c.TotalCount = c.Page.Total
	} else {
		c.TotalCount, err = r.Service.Total(ctx, req)
	}
	return c, err
}

type connectionResolver struct{}

func (connectionResolver) Nodes(ctx context.Context, c *graph.OnlineUserConnection) ([]graph.User, error) {
	nodes := make([]graph.User, len(c.Page.Rows))
	for i := range nodes {
		nodes[i] = node(&c.Page.Rows[i])
	}
	return nodes, loadRows(ctx, c.Page.Rows)
}

func (connectionResolver) Edges(ctx context.Context, c *graph.OnlineUserConnection) ([]graph.OnlineUserEdge, error) {
	edges := make([]graph.OnlineUserEdge, len(c.Page.Rows))
	for i := range edges {
		row := &c.Page.Rows[i]
		edges[i] = graph.OnlineUserEdge{Cursor: cursor(c, row.After), Node: node(row)}
	}
	return edges, loadRows(ctx, c.Page.Rows)
}

func (connectionResolver) PageInfo(_ context.Context, c *graph.OnlineUserConnection) (*graph.PageInfo, error) {
	info := &graph.PageInfo{HasNextPage: c.Page.HasNext, HasPreviousPage: c.Page.HasPrevious}
	if len(c.Page.Rows) > 0 {
		start := cursor(c, c.Page.Rows[0].After)
		info.StartCursor = &start
	}
	if c.Page.End != nil {
		end := cursor(c, *c.Page.End)
		info.EndCursor = &end
	}
	return info, nil
}

func node(row *presence.Row) graph.User { return graph.User{ID: row.UserID, Row: row} }

func cursor(c *graph.OnlineUserConnection, m presence.Mark) string {
	return presence.EncodeCursor(c.Request.Order, c.Request.Filter, m)
}

func loadRows(ctx context.Context, rows []presence.Row) error {
	ids := make([]string, len(rows))
	for i := range rows {
		ids[i] = rows[i].UserID
	}
	return loadUsers(ctx, ids)
}
