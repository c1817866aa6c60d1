package presence_test

import (
	"encoding/base64"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"rollcall/internal/presence"
)

func allOrders() []presence.Order {
	return []presence.Order{
		presence.LastActiveDesc, presence.LastActiveAsc, presence.LevelDesc, presence.LevelAsc, presence.Unordered,
	}
}

func anyFilter() *rapid.Generator[presence.Filter] {
	return rapid.Custom(func(t *rapid.T) presence.Filter {
		bound := rapid.Ptr(rapid.IntRange(-10, presence.MaxLevel+10), true)
		status := rapid.SampledFrom([]presence.Status{"", presence.Online, presence.Away, presence.Offline})
		return presence.NewFilter(status.Draw(t, "status"), bound.Draw(t, "min"), bound.Draw(t, "max"))
	})
}

func TestCursorKeepsFullPrecision(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		order := rapid.SampledFrom(allOrders()).Draw(t, "order")
		filter := anyFilter().Draw(t, "filter")
		mark := presence.Mark{
			UserID:       rapid.StringMatching(`[a-z0-9é@:/.-]{1,60}`).Draw(t, "user"),
			LastActiveAt: presence.Millis(rapid.Int64Range(0, 1<<41-1).Draw(t, "lastActive")),
			Level:        rapid.IntRange(presence.NoLevel, presence.MaxLevel).Draw(t, "level"),
			Scan: presence.Scan{
				Shards: rapid.IntRange(0, presence.MaxShards).Draw(t, "shards"),
				Shard:  rapid.IntRange(0, presence.MaxShards).Draw(t, "shard"),
				Cursor: rapid.Uint64().Draw(t, "cursor"),
			},
		}
		got, err := presence.DecodeCursor(presence.EncodeCursor(order, filter, mark), order, filter)
		require.NoError(t, err)
		require.Equal(t, mark, *got)
	})
}

func TestCursorOfLongestUserID(t *testing.T) {
	mark := presence.Mark{
		UserID: strings.Repeat("x", presence.MaxUserIDBytes), LastActiveAt: 1<<41 - 1, Level: presence.MaxLevel,
		Scan: presence.Scan{Shards: presence.MaxShards, Shard: presence.MaxShards - 1, Cursor: 1<<64 - 1},
	}
	low, high := 1, presence.MaxLevel
	filter := presence.NewFilter(presence.Offline, &low, &high)
	got, err := presence.DecodeCursor(presence.EncodeCursor(presence.LastActiveDesc, filter, mark), presence.LastActiveDesc, filter)
	require.NoError(t, err)
	require.Equal(t, mark, *got)
}

// An unordered walk may stand where there is no user; an ordered one can't.
func TestCursorWithoutUser(t *testing.T) {
	mark := presence.Mark{Scan: presence.Scan{Shard: 3, Cursor: 99}}
	got, err := presence.DecodeCursor(presence.EncodeCursor(presence.Unordered, presence.Filter{}, mark), presence.Unordered, presence.Filter{})
	require.NoError(t, err)
	require.Equal(t, mark, *got)
	_, err = presence.DecodeCursor(presence.EncodeCursor(presence.LevelAsc, presence.Filter{}, mark), presence.LevelAsc, presence.Filter{})
	requireInvalid(t, err)
}

func TestCursorIsBoundToOrderAndFilter(t *testing.T) {
	one, two := 1, 2
	filters := []presence.Filter{
		{},
		{Status: presence.Online},
		{Status: presence.Away},
		presence.NewFilter("", &one, nil), presence.NewFilter("", nil, &one), presence.NewFilter("", &one, &one),
		presence.NewFilter("", &one, &two), presence.NewFilter(presence.Away, &one, &two), presence.NewFilter("", &two, &one),
	}
	mark := presence.Mark{UserID: "ann", LastActiveAt: 1_767_225_600_123, Level: 1}
	for i, made := range filters {
		for _, madeFor := range allOrders() {
			cursor := presence.EncodeCursor(madeFor, made, mark)
			for j, asked := range filters {
				for _, askedFor := range allOrders() {
					_, err := presence.DecodeCursor(cursor, askedFor, asked)
					if i == j && madeFor == askedFor {
						require.NoError(t, err)
					} else {
						requireInvalid(t, err)
					}
				}
			}
		}
	}
}

// resealed is a cursor changed by somebody who knows how it is made.
func resealed(t *testing.T, cursor string, change func([]byte) []byte) string {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	require.NoError(t, err)
	body := change(raw[:len(raw)-crc32.Size])
	sum := crc32.ChecksumIEEE(body)
	body = append(body, byte(sum>>24), byte(sum>>16), byte(sum>>8), byte(sum))
	return base64.RawURLEncoding.EncodeToString(body)
}

func TestCursorForged(t *testing.T) {
	order, filter := presence.LastActiveDesc, presence.Filter{}
	encode := func(m presence.Mark) string { return presence.EncodeCursor(order, filter, m) }
	mark := presence.Mark{UserID: "ann", LastActiveAt: 1_767_225_600_123}
	good := encode(mark)
	cases := map[string]string{
		"empty":                  "",
		"no base64":              "!!!!",
		"too short for its sum":  "AAA",
		"a megabyte":             strings.Repeat("A", 1<<20),
		"a future version":       resealed(t, good, func(b []byte) []byte { b[0]++; return b }),
		"no body":                resealed(t, good, func(b []byte) []byte { return b[:0] }),
		"cut within the numbers": resealed(t, good, func(b []byte) []byte { return b[:len(order)+5] }),
		"user id with space":     encode(presence.Mark{UserID: "a nn", LastActiveAt: 1}),
		"user id no UTF-8":       encode(presence.Mark{UserID: "a\xff", LastActiveAt: 1}),
		"user id too long":       encode(presence.Mark{UserID: strings.Repeat("x", 129), LastActiveAt: 1}),
		"activity negative":      encode(presence.Mark{UserID: "ann", LastActiveAt: -1}),
		"activity inexact":       encode(presence.Mark{UserID: "ann", LastActiveAt: 1 << 41}),
		"level beyond":           encode(presence.Mark{UserID: "ann", Level: presence.MaxLevel + 1}),
		"level below":            encode(presence.Mark{UserID: "ann", Level: presence.NoLevel - 1}),
		"shard beyond":           encode(presence.Mark{UserID: "ann", Scan: presence.Scan{Shard: presence.MaxShards + 1}}),
	}
	for name, cursor := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := presence.DecodeCursor(cursor, order, filter)
			requireInvalid(t, err)
		})
	}
	for cut := range good {
		_, err := presence.DecodeCursor(good[:cut], order, filter)
		requireInvalid(t, err)
	}
	raw, err := base64.RawURLEncoding.DecodeString(good)
	require.NoError(t, err)
	for bit := range 8 * len(raw) {
		raw[bit/8] ^= 1 << (bit % 8)
		_, err := presence.DecodeCursor(base64.RawURLEncoding.EncodeToString(raw), order, filter)
		requireInvalid(t, err)
		raw[bit/8] ^= 1 << (bit % 8)
	}
}

func FuzzCursor(f *testing.F) {
	f.Add(presence.EncodeCursor(presence.LevelAsc, presence.Filter{}, presence.Mark{UserID: "ann", Level: 3}), uint8(3))
	f.Add("", uint8(0))
	f.Fuzz(func(t *testing.T, cursor string, pick uint8) {
		order := allOrders()[int(pick)%len(allOrders())]
		mark, err := presence.DecodeCursor(cursor, order, presence.Filter{})
		if err != nil {
			requireInvalid(t, err)
			return
		}
		again, err := presence.DecodeCursor(presence.EncodeCursor(order, presence.Filter{}, *mark), order, presence.Filter{})
		require.NoError(t, err)
		require.Equal(t, mark, again)
	})
}
