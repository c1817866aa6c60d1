package presencetest

import (
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

// history is what the store knows of how many users were online.
func history() []test {
	return []test{
		{name: "peak and average of a minute and of its hour", run: peakAndAverage},
		{name: "nodes that sample at the same time count once", run: sampledTwice},
		{name: "a minute ends where the next begins", run: minuteBoundary},
		{name: "an hour is weighed by samples", run: hourOfUnevenMinutes},
		{name: "gaps are left out", run: historyGap},
		{name: "what points are answered with", run: historySpan},
		{name: "what is old is left out", run: historyKept},
		{name: "a place in the ring is taken over by the next month", run: nextMonth},
		{name: "so many points and no more", run: tooManyPoints},
		{name: "the clock is the store's, and may be set back", run: historyClock},
		{name: "a loss", run: historyLost},
		{name: "large numbers", run: largeNumbers},
	}
}

// startOfHour moves the clock on to the beginning of an hour, and is that time.
func (tr *trial) startOfHour() presence.Millis {
	hour := presence.Millis(time.Hour.Milliseconds())
	tr.Clock.Advance(time.Duration(hour-tr.now()%hour) * time.Millisecond)
	return tr.now()
}

func (tr *trial) sample(online int) {
	tr.Helper()
	require.NoError(tr, tr.Store.RecordOnline(tr.Context(), online))
}

// points are the store's of the times from one until another.
func (tr *trial) points(from, to presence.Millis, r presence.Resolution) []presence.OnlinePoint {
	tr.Helper()
	points, err := tr.Store.OnlineHistory(tr.Context(), from, to, r)
	require.NoError(tr, err)
	return points
}

// since is the points of the last d.
func (tr *trial) since(d time.Duration, r presence.Resolution) []presence.OnlinePoint {
	tr.Helper()
	return tr.points(tr.now().Add(-d), tr.now()+1, r)
}

func peakAndAverage(tr *trial) {
	start := tr.startOfHour()
	require.Empty(tr, tr.since(time.Hour, presence.ByMinute))
	for _, online := range []int{3, 5, 1} {
		tr.sample(online)
		tr.Clock.Advance(presence.SampleEvery)
	}
	want := []presence.OnlinePoint{{At: start, Peak: 5, Average: 3}}
	require.Equal(tr, want, tr.points(start, start+1, presence.ByMinute))
	require.Equal(tr, want, tr.points(start, start+1, presence.ByHour))
	tr.sample(0)
	want[0].Average = 2.25
	require.Equal(tr, want, tr.points(start, start+1, presence.ByMinute))
}

func sampledTwice(tr *trial) {
	start := tr.startOfHour()
	for range 12 {
		tr.sample(10)
		tr.sample(10) // at once
		tr.Clock.Advance(presence.SampleEvery - time.Millisecond)
		tr.sample(1000) // a moment before the next is due
		tr.Clock.Advance(time.Millisecond)
	}
	want := []presence.OnlinePoint{{At: start, Peak: 10, Average: 10}}
	require.Equal(tr, want, tr.points(start, tr.now(), presence.ByMinute))
	require.Equal(tr, want, tr.points(start, tr.now(), presence.ByHour))
}

func minuteBoundary(tr *trial) {
	start := tr.startOfHour()
	tr.Clock.Advance(time.Minute - time.Millisecond)
	tr.sample(7)
	tr.Clock.Advance(time.Millisecond)
	tr.sample(9)
	next := start.Add(time.Minute)
	require.Equal(tr, []presence.OnlinePoint{
		{At: start, Peak: 7, Average: 7}, {At: next, Peak: 9, Average: 9},
	}, tr.since(time.Hour, presence.ByMinute))
	require.Equal(tr, []presence.OnlinePoint{{At: start, Peak: 9, Average: 8}}, tr.points(start, next, presence.ByHour))
}

func hourOfUnevenMinutes(tr *trial) {
	start := tr.startOfHour()
	for range 12 {
		tr.sample(1)
		tr.Clock.Advance(presence.SampleEvery)
	}
	tr.sample(14) // and no more in that minute
	require.Equal(tr, []presence.OnlinePoint{{At: start, Peak: 14, Average: 2}}, tr.points(start, start+1, presence.ByHour))
}

func historyGap(tr *trial) {
	start := tr.startOfHour()
	tr.sample(1)
	tr.Clock.Advance(3 * time.Hour)
	tr.sample(2)
	later := start.Add(3 * time.Hour)
	want := []presence.OnlinePoint{{At: start, Peak: 1, Average: 1}, {At: later, Peak: 2, Average: 2}}
	require.Equal(tr, want, tr.since(4*time.Hour, presence.ByMinute))
	require.Equal(tr, want, tr.since(4*time.Hour, presence.ByHour))
}

// historySpan: the points that begin before to and end after from.
func historySpan(tr *trial) {
	start := tr.startOfHour()
	for n := range 4 {
		tr.sample(n)
		tr.Clock.Advance(time.Minute)
	}
	at := func(n int) presence.Millis { return start.Add(time.Duration(n) * time.Minute) }
	for _, c := range []struct {
		from, to presence.Millis
		peaks    []int
	}{
		{at(1), at(3), []int{1, 2}},
		{at(1) - 1, at(3) + 1, []int{0, 1, 2, 3}},
		{at(2) - 1, at(2), []int{1}},
		{at(1), at(1), nil},
		{at(1) + 1, at(1) + 1, []int{1}},
		{at(4), at(9), nil},  // nothing yet
		{at(5), at(99), nil}, // of the future
		{at(3), 1<<53 - 1, []int{3}},
		{-1 << 45, -1 << 44, nil}, // before 1970
	} {
		var peaks []int
		for _, p := range tr.points(c.from, c.to, presence.ByMinute) {
			peaks = append(peaks, p.Peak)
		}
		require.Equal(tr, c.peaks, peaks, "%+v", c)
	}
}

func historyKept(tr *trial) {
	start := tr.startOfHour()
	tr.sample(1)
	tr.Clock.Advance(presence.HistoryFor - time.Millisecond)
	want := []presence.OnlinePoint{{At: start, Peak: 1, Average: 1}}
	require.Equal(tr, want, tr.points(0, start.Add(time.Hour), presence.ByMinute))
	require.Equal(tr, want, tr.points(0, start.Add(time.Hour), presence.ByHour))
	tr.Clock.Advance(time.Millisecond)
	require.Empty(tr, tr.points(0, start.Add(time.Hour), presence.ByMinute))
	require.Empty(tr, tr.points(0, start.Add(time.Hour), presence.ByHour))
}

func nextMonth(tr *trial) {
	tr.startOfHour()
	tr.sample(100)
	tr.Clock.Advance(presence.HistoryFor)
	want := []presence.OnlinePoint{{At: tr.now(), Peak: 2, Average: 2}}
	tr.sample(2)
	require.Equal(tr, want, tr.since(time.Hour, presence.ByMinute))
	require.Equal(tr, want, tr.points(0, tr.now()+1, presence.ByHour))

	tr.Clock.Advance(2 * presence.HistoryFor) // nobody has taken it over
	require.Empty(tr, tr.since(time.Hour, presence.ByMinute))
	require.Empty(tr, tr.since(time.Hour, presence.ByHour))
}

func tooManyPoints(tr *trial) {
	start := tr.startOfHour()
	tr.Clock.Advance(presence.HistoryFor / 2)
	tr.sample(1)
	most := presence.MaxPoints * time.Minute
	require.Empty(tr, tr.points(start, start.Add(most), presence.ByMinute))
	_, err := tr.Store.OnlineHistory(tr.Context(), start, start.Add(most)+1, presence.ByMinute)
	require.ErrorIs(tr, err, presence.ErrTooManyPoints)
	require.Len(tr, tr.points(tr.now().Add(time.Minute-most), tr.now().Add(most), presence.ByMinute), 1, "those to come don't count")
	require.Len(tr, tr.points(0, tr.now()+1, presence.ByHour), 1, "all that is kept")
}

func historyClock(tr *trial) {
	start := tr.startOfHour()
	tr.Clock.Advance(2 * time.Minute)
	tr.sample(8)
	tr.Clock.Advance(-time.Minute)
	tr.sample(4)
	require.Equal(tr, []presence.OnlinePoint{{At: start.Add(time.Minute), Peak: 4, Average: 4}},
		tr.since(time.Hour, presence.ByMinute), "nothing of the future")
	tr.Clock.Advance(time.Minute)
	tr.sample(9) // there is one
	require.Equal(tr, []presence.OnlinePoint{
		{At: start.Add(time.Minute), Peak: 4, Average: 4}, {At: start.Add(2 * time.Minute), Peak: 8, Average: 8},
	}, tr.since(time.Hour, presence.ByMinute))
	require.Equal(tr, []presence.OnlinePoint{{At: start, Peak: 8, Average: 6}}, tr.since(time.Minute, presence.ByHour))
}

func historyLost(tr *trial) {
	tr.startOfHour()
	tr.sample(5)
	tr.lose()
	require.Empty(tr, tr.since(time.Hour, presence.ByMinute))
	require.Empty(tr, tr.since(time.Hour, presence.ByHour))
	tr.sample(6)
	require.Len(tr, tr.since(time.Minute, presence.ByMinute), 1)
	require.Len(tr, tr.since(time.Minute, presence.ByHour), 1)
}

// largeNumbers: a billion users all through an hour.
func largeNumbers(tr *trial) {
	const online = 1_000_000_000
	start := tr.startOfHour()
	for range int(time.Hour / presence.SampleEvery) {
		tr.sample(online)
		tr.Clock.Advance(presence.SampleEvery)
	}
	require.Equal(tr, []presence.OnlinePoint{{At: start, Peak: online, Average: online}}, tr.points(start, tr.now(), presence.ByHour))
	minutes := tr.points(start, tr.now(), presence.ByMinute)
	require.Len(tr, minutes, 60)
	require.Equal(tr, presence.OnlinePoint{At: start.Add(59 * time.Minute), Peak: online, Average: online}, minutes[59])
}
