package load_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"rollcall/bench/load"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve serves a handler and returns its address.
func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

func TestConnReadsBodiesOfBothKinds(t *testing.T) {
	long := strings.Repeat("0123456789", 5_000)
	addr := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.Header.Get("Authorization") {
		case "Bearer short":
			_, _ = w.Write([]byte("short"))
		case "Bearer long":
			_, _ = w.Write([]byte(long)) // goes in chunks
		case "Bearer empty":
		default:
			http.Error(w, "who?", http.StatusUnauthorized)
		}
	})
	conn, err := load.Dial(t.Context(), addr)
	require.NoError(t, err)
	defer conn.Close()
	for range 2 {
		for token, want := range map[string]string{"short": "short", "long": long, "empty": ""} {
			body, err := conn.Do(load.Request(addr, token, []byte("{}")))
			require.NoError(t, err)
			require.Equal(t, want, string(body))
		}
		_, err = conn.Do(load.Request(addr, "nobody", nil))
		require.ErrorContains(t, err, "401")
		require.ErrorContains(t, err, "who?")
	}
}

// source sends the same request again and again.
type source struct {
	request []byte
	check   func(body []byte) error
}

func (s source) Next(time.Time) ([]byte, error) { return s.request, nil }
func (s source) Check(body []byte) error        { return s.check(body) }

func connect(t *testing.T, addr string, n int, check func(body []byte) error) *load.Clients {
	t.Helper()
	c, err := load.Connect(t.Context(), addr, n, func(int) load.Source {
		return source{load.Request(addr, "x", nil), check}
	})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func fine([]byte) error { return nil }

func TestFastestCountsAnswers(t *testing.T) {
	var asked atomic.Int64
	addr := serve(t, func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	c := connect(t, addr, 3, fine)
	require.EqualValues(t, 3, asked.Load(), "each connection is tried")
	answered, err := c.Fastest(t.Context(), 50*time.Millisecond)
	require.NoError(t, err)
	require.Positive(t, answered)
	require.EqualValues(t, asked.Load()-3, answered)
}

func TestWrongAnswersEndTheRun(t *testing.T) {
	addr := serve(t, func(http.ResponseWriter, *http.Request) {})
	wrong := errors.New("wrong")
	var asked int
	c := connect(t, addr, 1, func([]byte) error {
		if asked++; asked > 5 {
			return wrong
		}
		return nil
	})
	_, err := c.Fastest(t.Context(), time.Minute)
	require.ErrorIs(t, err, wrong)
	require.Equal(t, 6, asked)
}

func TestRefusalsAreCountedApart(t *testing.T) {
	addr := serve(t, func(http.ResponseWriter, *http.Request) {})
	var asked int
	c := connect(t, addr, 1, func([]byte) error {
		if asked++; asked%2 == 0 {
			return load.ErrRefused
		}
		return nil
	})
	answered, err := c.Fastest(t.Context(), 50*time.Millisecond)
	require.NoError(t, err)
	require.Equal(t, asked/2, c.Refused())
	require.Equal(t, asked-1, answered+c.Refused(), "but for the first one, which tried the connection")
}

// A server that stalls for a moment is slow for all whose time comes meanwhile, not only for
// the one request that it holds.
func TestSteadyCountsTheWaitForAStalledServer(t *testing.T) {
	const stall = 300 * time.Millisecond
	var asked atomic.Int64
	addr := serve(t, func(http.ResponseWriter, *http.Request) {
		if asked.Add(1) == 20 {
			time.Sleep(stall)
		}
	})
	c := connect(t, addr, 1, fine)
	took, err := c.Steady(t.Context(), time.Second, 100)
	require.NoError(t, err)
	require.EqualValues(t, 100, took.TotalCount())
	require.EqualValues(t, 101, asked.Load())
	late := took.TotalCount() - int64(float64(took.TotalCount())*belowQuantile(t, took.ValueAtQuantile, 50_000)/100)
	require.GreaterOrEqual(t, late, int64(20), "of the 30 requests that were due in the stall")
}

// belowQuantile is the percentage of values that are at most a limit.
func belowQuantile(t *testing.T, value func(float64) int64, limit int64) float64 {
	t.Helper()
	for q := 100.0; q > 0; q-- {
		if value(q) <= limit {
			return q
		}
	}
	return 0
}
