package faults

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// Kinds of events.
const (
	cameOnline   = "ONLINE"
	expired      = "OFFLINE EXPIRED"
	disconnected = "OFFLINE DISCONNECTED"
)

// lateEvents is how long the events are watched on after the last one that is awaited:
// one told twice would follow.
const lateEvents = 500 * time.Millisecond

// history is what happened to users: by user the kinds of events, in their order.
type history map[string][]string

// happened adds to the history of each of the users.
func (h history) happened(users []string, kinds ...string) {
	for _, user := range users {
		h[user] = append(h[user], kinds...)
	}
}

// account compares the events that were told with what happened.
type account struct {
	told, lost, doubled int
	wrong               []string // what was told in a wrong order, or of nobody
}

// compare makes the account. UPDATED is not counted, but has its place: between ONLINE
// and OFFLINE.
func compare(events []event, want history) account {
	a := account{told: len(events)}
	got := history{}
	for _, e := range events {
		if e.Type != "UPDATED" {
			got[e.UserID] = append(got[e.UserID], e.kind())
		} else if kinds := got[e.UserID]; len(kinds) == 0 || kinds[len(kinds)-1] != cameOnline {
			a.wrong = append(a.wrong, e.UserID+" was UPDATED while offline")
		}
	}
	users := slices.Sorted(maps.Keys(got))
	for user := range want {
		if _, told := got[user]; !told {
			users = append(users, user)
		}
	}
	for _, user := range users {
		lost, doubled := difference(want[user], got[user])
		a.lost += lost
		a.doubled += doubled
		if !slices.Equal(want[user], got[user]) {
			a.wrong = append(a.wrong, fmt.Sprintf("%s: want %s; told %s", user, strings.Join(want[user], ", "), strings.Join(got[user], ", ")))
		}
	}
	return a
}

// difference counts the events of a user that are missing, and those that are too many.
func difference(want, got []string) (lost, doubled int) {
	balance := map[string]int{}
	for _, kind := range want {
		balance[kind]++
	}
	for _, kind := range got {
		balance[kind]--
	}
	for _, n := range balance {
		lost += max(n, 0)
		doubled += max(-n, 0)
	}
	return lost, doubled
}

// requireHistory fails unless the recorder was told exactly what happened, without a
// reset, and believes what every node lists.
func (r *recorder) requireHistory(want history) account {
	r.t.Helper()
	pass(r.t, lateEvents)
	a := compare(r.since(0), want)
	require.Empty(r.t, head(a.wrong))
	require.Zero(r.t, a.lost)
	require.Zero(r.t, a.doubled)
	require.Zero(r.t, r.resetsSoFar(), "the log was not trimmed")
	r.requireView(want.online())
	return a
}

// requireView fails unless the recorder believes that these users are online, and every
// node lists them.
func (r *recorder) requireView(online []string) {
	r.t.Helper()
	r.service.requireOnline(r.service.ttl, online)
	r.mu.Lock()
	defer r.mu.Unlock()
	require.Equal(r.t, slices.Sorted(slices.Values(online)), slices.Sorted(maps.Keys(r.online)))
}

// requireReset fails unless the recorder was told that events may be missing, and before
// that exactly what happened; afterwards everybody online comes at most once, and
// nobody goes.
func (r *recorder) requireReset(before history) account {
	r.t.Helper()
	pass(r.t, lateEvents)
	events := r.since(0)
	first := slices.IndexFunc(events, func(e event) bool { return e.resets > 0 })
	if first < 0 {
		first = len(events)
	}
	a := compare(events[:first], before)
	again := history{}
	for _, e := range events[first:] {
		again[e.UserID] = append(again[e.UserID], e.kind())
	}
	for user, kinds := range again {
		if !slices.Equal(kinds, []string{cameOnline}) {
			a.wrong = append(a.wrong, fmt.Sprintf("%s: after the reset told %s", user, strings.Join(kinds, ", ")))
			a.doubled += len(kinds) - 1
		}
	}
	a.told = len(events)
	require.Empty(r.t, head(a.wrong))
	require.Positive(r.t, r.resetsSoFar(), "events may be missing, and it was not said")
	r.requireView(before.online())
	return a
}

// requireNothingFalse fails if the recorder was told of more than happened, or of less
// without a reset: a replica may lack the last moments of its primary.
func (r *recorder) requireNothingFalse(want history) account {
	r.t.Helper()
	if r.resetsSoFar() > 0 {
		return r.requireReset(want)
	}
	return r.requireHistory(want)
}

// online are the users whose last event is ONLINE.
func (h history) online() []string {
	var users []string
	for user, kinds := range h {
		if len(kinds) > 0 && kinds[len(kinds)-1] == cameOnline {
			users = append(users, user)
		}
	}
	return users
}

// head keeps a failure's message readable.
func head(lines []string) []string { return lines[:min(len(lines), 10)] }
