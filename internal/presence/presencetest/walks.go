package presencetest

import (
	"fmt"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// walks are by incremental scan.
func walks() []test {
	return []test{
		{name: "nobody who stays is missed while others come and go", run: completeWalk},
		{name: "a walk for few of many ends", run: selectiveWalk},
	}
}

func completeWalk(tr *trial) {
	stay := names("stay", 600)
	leave := names("leave", 300)
	tr.signInAll(stay, presence.Active)
	tr.signInAll(leave, presence.Active)
	met := map[string]int{}
	req := presence.PageRequest{Order: presence.Unordered, First: 20}
	for pages := 0; ; pages++ {
		require.Less(tr, pages, walkBound, "the walk ends")
		page := tr.page(req)
		for _, row := range page.Rows {
			met[row.UserID]++
			require.Equal(tr, presence.Online, row.Status)
			require.Equal(tr, presence.Online, tr.presence(row.UserID).Status)
		}
		if !page.HasNext {
			break
		}
		req.After = tr.carried(req.Order, req.Filter, *page.End)
		tr.end(leave[pages%len(leave)], 0, presence.Disconnected)
		if pages < 200 {
			tr.signInAll(names(fmt.Sprintf("come%03d-", pages), 3), presence.Active)
		}
	}
	for _, id := range stay {
		require.Positive(tr, met[id], id)
	}
}

func selectiveWalk(tr *trial) {
	users := names("user", 1000)
	tr.signInAll(users, presence.Background)
	tr.signInAll([]string{"ann", "zoe"}, presence.Active)
	rows := tr.walk(presence.Unordered, presence.Filter{Status: presence.Online}, 10)
	require.Equal(tr, []string{"ann", "zoe"}, unique(rows))
	require.Equal(tr, 2, tr.total(presence.Filter{Status: presence.Online}))
	require.Len(tr, unique(tr.walk(presence.Unordered, presence.Filter{Status: presence.Away}, 500)), 1000)
}
