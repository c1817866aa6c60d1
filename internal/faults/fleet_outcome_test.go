package faults

import (
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// requireNoFailure fails if anything but success has reached a device.
func (f *fleet) requireNoFailure() {
	f.t.Helper()
	failures := f.complaints()
	require.Empty(f.t, failures[:min(len(failures), 10)])
}

// requireAlive fails if a device's session has ended.
func (f *fleet) requireAlive() {
	f.t.Helper()
	for _, user := range f.users {
		require.Empty(f.t, f.state(user).end, user)
	}
}

// awaitBeats waits until each device has had a beat accepted after since.
func (f *fleet) awaitBeats(since time.Time, within time.Duration) {
	f.t.Helper()
	awaitQuietly(within, func() bool { return len(f.silent(since)) == 0 })
	require.Empty(f.t, f.silent(since), "devices without an accepted beat")
}

// silent are the users of whom nothing was accepted after since.
func (f *fleet) silent(since time.Time) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var silent []string
	for _, user := range f.users {
		if !f.states[user].accepted.After(since) {
			silent = append(silent, user)
		}
	}
	return silent
}

// lastFailure is how long after since a beat failed last; 0 if none did.
func (f *fleet) lastFailure(since time.Time) time.Duration {
	var last time.Duration
	for _, failed := range f.complaints() {
		last = max(last, failed.at.Sub(since))
	}
	return last
}

// longestSilence is the longest that one device was without an accepted beat.
func (f *fleet) longestSilence() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	var longest time.Duration
	for _, s := range f.states {
		longest = max(longest, s.longest)
	}
	return longest
}

// refused are the users of whom a beat failed after since.
func (f *fleet) refused(since time.Time) []string {
	var users []string
	for _, failed := range f.complaints() {
		if failed.at.After(since) {
			users = append(users, failed.user)
		}
	}
	slices.Sort(users)
	return slices.Compact(users)
}

// complaints are all failures. With the TTL of a short run a pong has 0.4 s, for which a busy
// machine may be too slow. The device is back in no time then, and what that has cost
// its user is seen in the events, so it does not count.
func (f *fleet) complaints() []failure {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(f.failures), func(failed failure) bool {
		return !*long && strings.Contains(failed.text, "a ping was not answered")
	})
}

// codes are the different codes of failures.
func (f *fleet) codes() []string {
	var codes []string
	for _, failed := range f.complaints() {
		codes = append(codes, failed.code)
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}
