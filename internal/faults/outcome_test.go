package faults

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// outcome is all that can be known of the users of a service, but for what a sign-in that
// was sent twice may change: its epoch.
type outcome struct {
	Answer              any
	ByActivity, ByLevel []string
	Presences           []presence.Presence
	Told                map[string][]string // by user, in their order
}

func (o outcome) equal(other outcome) bool { return reflect.DeepEqual(o, other) }

// look looks at a service by a member that nothing has happened to.
func look(m *member) outcome {
	m.t.Helper()
	ctx := context.Background()
	o := outcome{Told: map[string][]string{}}
	o.ByActivity = listed(m, presence.LastActiveDesc)
	o.ByLevel = listed(m, presence.LevelDesc)
	for shard, begin := range m.begin {
		events, _, err := m.store.Range(ctx, shard, begin)
		require.NoError(m.t, err)
		for _, e := range events {
			o.Told[e.Presence.UserID] = append(o.Told[e.Presence.UserID], fmt.Sprintf("%s, %s %s", e.Type, e.Presence.Status, e.Reason))
		}
	}
	var err error
	o.Presences, err = m.store.Presences(ctx, slices.Sorted(maps.Keys(o.Told)))
	require.NoError(m.t, err)
	for i := range o.Presences {
		o.Presences[i].Epoch = 0
	}
	return o
}

// listed is the whole list.
func listed(m *member, order presence.Order) (rows []string) {
	m.t.Helper()
	page, err := m.store.Page(context.Background(), presence.PageRequest{Order: order, First: presence.MaxFirst})
	require.NoError(m.t, err)
	require.Equal(m.t, len(page.Rows), page.Total)
	for _, row := range page.Rows {
		level := ""
		if order.ByLevel() {
			level = fmt.Sprintf(", level %d", row.After.Level)
		}
		rows = append(rows, fmt.Sprintf("%s %s at %d%s", row.UserID, row.Status, row.LastActiveAt, level))
	}
	return rows
}
