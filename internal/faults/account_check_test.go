package faults

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A checker that can't find anything proves nothing.
func TestTheAccountFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	online := event{Type: "ONLINE", UserID: "ann"}
	offline := event{Type: "OFFLINE", Reason: "EXPIRED", UserID: "ann"}
	updated := event{Type: "UPDATED", UserID: "ann"}
	both := history{"ann": {cameOnline, expired}}
	for name, test := range map[string]struct {
		told          []event
		lost, doubled int
		wrong         bool
	}{
		"all is well":        {told: []event{online, updated, offline}},
		"lost":               {told: []event{online}, lost: 1, wrong: true},
		"all lost":           {lost: 2, wrong: true},
		"doubled":            {told: []event{online, offline, offline}, doubled: 1, wrong: true},
		"the wrong order":    {told: []event{offline, online}, wrong: true},
		"another reason":     {told: []event{online, {Type: "OFFLINE", Reason: "SIGNED_OUT", UserID: "ann"}}, lost: 1, doubled: 1, wrong: true},
		"of nobody":          {told: []event{online, offline, {Type: "ONLINE", UserID: "bob"}}, doubled: 1, wrong: true},
		"updated and absent": {told: []event{updated, online, offline}, wrong: true},
	} {
		a := compare(test.told, both)
		require.Equal(t, test.lost, a.lost, name)
		require.Equal(t, test.doubled, a.doubled, name)
		require.Equal(t, test.wrong, len(a.wrong) > 0, name)
	}
}
