package presence_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"rollcall/internal/presence"
)

func TestPositionRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shards := rapid.SampledFrom([]int{1, 2, 16, presence.MaxShards}).Draw(t, "shards")
		p := make(presence.Position, shards)
		for i := range p {
			p[i] = presence.EventID{
				Ms:  rapid.Uint64Range(0, 1<<41-1).Draw(t, "ms"),
				Seq: rapid.Uint64Range(0, 1<<63-1).Draw(t, "seq"),
			}
		}
		got, err := presence.ParsePosition(p.Cursor())
		require.NoError(t, err)
		require.Equal(t, p, got)
	})
}

func TestPositionMalformed(t *testing.T) {
	p := presence.Position{{Ms: 1_767_225_600_123, Seq: 4}, {Ms: 1_767_225_600_100}}
	good := p.Cursor()
	for name, cursor := range map[string]string{
		"empty":             "",
		"no base64":         "***",
		"no shards":         presence.Position{}.Cursor(),
		"three shards":      make(presence.Position, 3).Cursor(),
		"too many shards":   make(presence.Position, 2*presence.MaxShards).Cursor(),
		"a megabyte":        strings.Repeat("A", 1<<20),
		"sequence too high": presence.Position{{Ms: 1, Seq: 1 << 63}}.Cursor(),
		"time too high":     presence.Position{{Ms: 1 << 42}}.Cursor(),
		"time negative":     presence.Position{{Ms: 1<<64 - 5}}.Cursor(),
		"a page's cursor":   presence.EncodeCursor(presence.LevelAsc, presence.Filter{}, presence.Mark{UserID: "ann"}),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := presence.ParsePosition(cursor)
			requireInvalid(t, err)
		})
	}
	for cut := range good {
		_, err := presence.ParsePosition(good[:cut])
		requireInvalid(t, err)
	}
	raw, err := base64.RawURLEncoding.DecodeString(good)
	require.NoError(t, err)
	for bit := range 8 * len(raw) {
		raw[bit/8] ^= 1 << (bit % 8)
		_, err := presence.ParsePosition(base64.RawURLEncoding.EncodeToString(raw))
		requireInvalid(t, err)
		raw[bit/8] ^= 1 << (bit % 8)
	}
}

func TestPositionClone(t *testing.T) {
	p := presence.Position{{Ms: 1}}
	clone := p.Clone()
	clone[0].Ms = 2
	require.Equal(t, uint64(1), p[0].Ms)
}

func TestLaterPosition(t *testing.T) {
	p := presence.Position{{Ms: 1}, {Ms: 5}, {Ms: 7, Seq: 2}}
	q := presence.Position{{Ms: 3}, {Ms: 5}, {Ms: 7, Seq: 1}}
	want := presence.Position{{Ms: 3}, {Ms: 5}, {Ms: 7, Seq: 2}}
	require.Equal(t, want, p.Later(q))
	require.Equal(t, want, q.Later(p))
	require.Equal(t, p, p.Later(nil))
	require.Equal(t, p, p.Later(p))
	require.Equal(t, presence.EventID{Ms: 1}, p[0], "it stays as it was")
}

func TestPositionReaches(t *testing.T) {
	p := presence.Position{{Ms: 1}, {Ms: 5}}
	require.True(t, p.Reaches(nil))
	require.True(t, p.Reaches(p))
	require.True(t, p.Reaches(presence.Position{{}, {Ms: 4, Seq: 9}}))
	require.False(t, p.Reaches(presence.Position{{Ms: 1, Seq: 1}, {}}))
	require.False(t, p.Reaches(presence.Position{{Ms: 1}, {Ms: 6}}))
}

func TestEventIDCompare(t *testing.T) {
	ascending := []presence.EventID{{}, {Seq: 1}, {Ms: 1}, {Ms: 1, Seq: 5}, {Ms: 2}, {Ms: 1<<64 - 1}}
	for i, a := range ascending {
		for j, b := range ascending {
			require.Equal(t, sign(i-j), a.Compare(b))
		}
	}
}

func sign(n int) int { return min(max(n, -1), 1) }

func FuzzPosition(f *testing.F) {
	f.Add(presence.Position{{Ms: 7, Seq: 1}, {Ms: 5}}.Cursor())
	f.Add("")
	f.Fuzz(func(t *testing.T, cursor string) {
		p, err := presence.ParsePosition(cursor)
		if err != nil {
			requireInvalid(t, err)
			return
		}
		require.NoError(t, presence.CheckShards(len(p)))
		again, err := presence.ParsePosition(p.Cursor())
		require.NoError(t, err)
		require.Equal(t, p, again)
	})
}
