package figure_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"rollcall/bench/figure"
)

func TestMedian(t *testing.T) {
	require.Zero(t, figure.Series{}.Median())
	require.InDelta(t, 2, figure.Series{9, 2, 1}.Median(), 0)
	require.InDelta(t, 2.5, figure.Series{9, 2, 3, 1}.Median(), 0)
}

func TestText(t *testing.T) {
	for want, s := range map[string]figure.Series{
		"":                             nil,
		"0.50":                         {0.5},
		"12.3":                         {12.34},
		"123":                          {123.4},
		"1,230":                        {1234},
		"1,230,000":                    {1_234_567},
		"-1,230":                       {-1234},
		"2.00 (1.00 to 3.00)":          {3, 1, 2},
		"50,000 (40,000 to 59,600)":    {40_000, 59_600, 50_000},
		"100,000 (100,000 to 100,000)": {99_999, 100_001},
	} {
		require.Equal(t, want, s.Text())
	}
}

func TestRatiosAreOfNeighbours(t *testing.T) {
	ours, theirs := figure.Series{10, 20, 60}, figure.Series{5, 40, 60, 100}
	require.Equal(t, figure.Series{2, 0.5, 1}, ours.Over(theirs))
}

func TestTable(t *testing.T) {
	half, ten := figure.AtLeast(0.5), figure.AtMost(10)
	table := figure.Table{Header: []string{"On a machine."}, Judged: true}
	table.Figure(9, "time, ms", figure.Series{12}, &ten)
	table.Ratio(3, "requests/s", figure.Series{60, 50, 40}, figure.Series{100, 100, 100}, "bare", &half)
	table.Figure(3, "for each second", figure.Series{7}, nil)
	require.Equal(t, []string{
		"On a machine.",
		"",
		"| # | measure | Rollcall | against | ratio | target | |",
		"|---|---|---|---|---|---|---|",
		"| 3 | requests/s | 50.0 (40.0 to 60.0) | bare: 100 (100 to 100) | 0.50 (0.40 to 0.60) | ≥ 0.5 | met |",
		"| 3 | for each second | 7.00 |  |  |  |  |",
		"| 9 | time, ms | 12.0 |  |  | ≤ 10 | missed |",
	}, strings.Split(strings.TrimSpace(table.String()), "\n"))
}

func TestSmallRunsAreNotJudged(t *testing.T) {
	ten := figure.AtMost(10)
	table := figure.Table{}
	table.Figure(1, "time, ms", figure.Series{12}, &ten)
	require.NotContains(t, table.String(), "missed")
}
