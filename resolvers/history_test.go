package resolvers_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
)

const historyDocument = `query($from: Time!, $to: Time, $r: HistoryResolution! = MINUTE) {
	onlineHistory(from: $from, to: $to, resolution: $r) {at peak average}
}`

func TestOnlineHistory(t *testing.T) {
	s := newServer(t) // at 15:09:26.535
	for _, online := range []int{4, 1} {
		require.NoError(t, s.store.RecordOnline(t.Context(), online))
		s.clock.Advance(presence.SampleEvery)
	}
	s.clock.Advance(time.Hour)
	require.NoError(t, s.store.RecordOnline(t.Context(), 7))

	const first, second = `{"at": "2026-03-14T15:09:00.000Z", "peak": 4, "average": 2.5}`, `{"at": "2026-03-14T16:09:00.000Z", "peak": 7, "average": 7}`
	s.do(t, root, historyDocument, variables{"from": "2026-03-14T15:09:59Z"}).is(t, `{"onlineHistory": [`+first+`,`+second+`]}`)
	s.do(t, root, historyDocument, variables{"from": "2026-03-14T15:00:00Z", "to": "2026-03-14T16:09:00Z"}).
		is(t, `{"onlineHistory": [`+first+`]}`)
	s.do(t, root, historyDocument, variables{"from": "2026-01-01T00:00:00+02:00", "r": "HOUR"}).is(t, `{"onlineHistory": [
		{"at": "2026-03-14T15:00:00.000Z", "peak": 4, "average": 2.5}, {"at": "2026-03-14T16:00:00.000Z", "peak": 7, "average": 7}]}`)
	s.do(t, root, historyDocument, variables{"from": "2027-01-01T00:00:00Z"}).is(t, `{"onlineHistory": []}`)
}

func TestOnlineHistoryIsUnavailable(t *testing.T) {
	s := newServer(t)
	s.service.fail(&presence.UnavailableError{RetryAfter: time.Second, Part: "the online history", Cause: errors.New("dial 10.0.0.7: refused")})
	a := s.do(t, root, historyDocument, variables{"from": "2026-03-14T15:00:00Z"})
	require.Equal(t, "UNAVAILABLE", a.code(t))
	require.Equal(t, "the presence store is unavailable: the online history can't be reached", a.Errors[0].Message)
	require.Equal(t, 1000, a.Errors[0].Extensions.RetryAfterMs)
}
