package scalar_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
	"rollcall/resolvers/scalar"
)

func written(m graphql.Marshaler) string {
	var b strings.Builder
	m.MarshalGQL(&b)
	return b.String()
}

// refused asserts that err is for the client to see.
func refused(t *testing.T, err error) {
	t.Helper()
	var bad *presence.InvalidError
	require.ErrorAs(t, err, &bad)
}

func TestTime(t *testing.T) {
	for ms, text := range map[presence.Millis]string{
		0:                 `null`,
		1:                 `"1970-01-01T00:00:00.001Z"`,
		1_767_225_600_000: `"2026-01-01T00:00:00.000Z"`,
		1_773_500_966_530: `"2026-03-14T15:09:26.530Z"`,
	} {
		require.Equal(t, text, written(scalar.MarshalTime(ms)))
		if ms == 0 {
			continue
		}
		read, err := scalar.UnmarshalTime(strings.Trim(text, `"`))
		require.NoError(t, err)
		require.Equal(t, ms, read)
	}
	read, err := scalar.UnmarshalTime("2026-01-01T02:00:00.0009+02:00")
	require.NoError(t, err)
	require.EqualValues(t, 1_767_225_600_000, read)
	for _, v := range []any{"", "2026-01-01", "now", 5, nil} {
		_, err := scalar.UnmarshalTime(v)
		refused(t, err)
	}
}

func TestInt(t *testing.T) {
	require.Equal(t, "-7", written(scalar.MarshalInt(-7)))
	for _, v := range []any{int64(math.MaxInt32), json.Number("2147483647"), float64(math.MaxInt32)} {
		i, err := scalar.UnmarshalInt(v)
		require.NoError(t, err)
		require.Equal(t, math.MaxInt32, i)
	}
	for _, v := range []any{
		int64(math.MaxInt32) + 1, int64(math.MinInt32) - 1, float64(math.MaxInt32) + 1, 1.5, math.NaN(), math.Inf(1),
		json.Number("1.5"), json.Number("2147483648"), json.Number("99999999999999999999"), "7", true, nil,
	} {
		_, err := scalar.UnmarshalInt(v)
		refused(t, err)
	}
}

func TestID(t *testing.T) {
	require.Equal(t, `"a\"b"`, written(scalar.MarshalID(`a"b`)))
	for _, v := range []any{"7", int64(7), json.Number("7")} {
		id, err := scalar.UnmarshalID(v)
		require.NoError(t, err)
		require.Equal(t, "7", id)
	}
	for _, v := range []any{nil, 1.5, json.Number("1.5"), json.Number("1e3"), true, []any{}} {
		_, err := scalar.UnmarshalID(v)
		refused(t, err)
	}
}

func TestEnums(t *testing.T) {
	require.Equal(t, `"LEVEL_ASC"`, written(scalar.MarshalOnlineOrder(presence.LevelAsc)))
	require.Equal(t, `"AWAY"`, written(scalar.MarshalPresenceStatus(presence.Away)))
	order, err := scalar.UnmarshalOnlineOrder("UNORDERED")
	require.NoError(t, err)
	require.Equal(t, presence.Unordered, order)
	status, err := scalar.UnmarshalPresenceStatus("OFFLINE")
	require.NoError(t, err)
	require.Equal(t, presence.Offline, status)
	require.Equal(t, `"HOUR"`, written(scalar.MarshalHistoryResolution(presence.ByHour)))
	resolution, err := scalar.UnmarshalHistoryResolution("MINUTE")
	require.NoError(t, err)
	require.Equal(t, presence.ByMinute, resolution)
	for _, v := range []any{"unordered", "online", "", 1, nil} {
		_, err := scalar.UnmarshalOnlineOrder(v)
		refused(t, err)
		_, err = scalar.UnmarshalPresenceStatus(v)
		refused(t, err)
		_, err = scalar.UnmarshalHistoryResolution(v)
		refused(t, err)
	}
}
