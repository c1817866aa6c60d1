package socket_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"rollcall/bench/opponent"
	"rollcall/bench/process"
	"rollcall/bench/socket"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// subscribed is subscribers of a server that tells whatever it is told to.
type subscribed struct {
	addr    string
	barrier *socket.Barrier
	group   *socket.Group

	mu   sync.Mutex
	told []socket.Told
}

const subscribers = 5

func subscribe(t *testing.T) *subscribed {
	t.Helper()
	addr, err := process.FreeAddr(t.Context())
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- opponent.ServeBare(ctx, addr) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-served)
		http.DefaultClient.CloseIdleConnections()
	})
	ready := process.OK("http://" + addr + "/readyz")
	require.Eventually(t, func() bool { return ready(t.Context()) == nil }, 10*time.Second, 10*time.Millisecond)

	s := &subscribed{addr: addr, barrier: socket.NewBarrier(subscribers, 0, 10)}
	s.group, err = socket.Subscribe(t.Context(), addr, subscribers, func(told socket.Told) {
		s.mu.Lock()
		s.told = append(s.told, told)
		s.mu.Unlock()
		s.barrier.Told(told)
	})
	require.NoError(t, err)
	return s
}

// tell tells events, all in one frame.
func (s *subscribed) tell(t *testing.T, events ...int) {
	t.Helper()
	body := `"events":[`
	for _, e := range events {
		body += fmt.Sprintf(`{"type":"ONLINE","userId":"%s"},`, socket.UserID(e))
	}
	s.post(t, body+"]")
}

func (s *subscribed) post(t *testing.T, body string) {
	t.Helper()
	resp, err := http.Post("http://"+s.addr+"/frame", "application/json", bytes.NewBufferString(body))
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
}

func (s *subscribed) await(t *testing.T, event int) {
	t.Helper()
	require.NoError(t, s.barrier.Wait(t.Context(), s.group, event))
}

func TestEverybodyIsToldEachEventOnce(t *testing.T) {
	s := subscribe(t)
	s.tell(t, 0)
	require.NoError(t, s.barrier.WaitFirst(t.Context(), s.group, 0))
	s.tell(t, 1, 2)
	s.await(t, 0)
	s.await(t, 2)
	frames, size := s.group.Frames()
	require.EqualValues(t, 2*subscribers, frames)
	require.Positive(t, size)
	require.NoError(t, s.group.Close(socket.Numbered(0, 3)))
}

func TestALostEventIsNoticed(t *testing.T) {
	s := subscribe(t)
	s.tell(t, 0)
	s.tell(t, 2)
	s.await(t, 2)
	require.Error(t, s.group.Close(socket.Numbered(0, 3)))
}

func TestADoubledEventIsNoticed(t *testing.T) {
	s := subscribe(t)
	s.tell(t, 0, 0, 1)
	s.await(t, 1)
	require.Error(t, s.group.Close(socket.Numbered(0, 2)))
}

func TestAResetBreaksTheGroup(t *testing.T) {
	s := subscribe(t)
	s.post(t, `{"reset":true}`)
	<-s.group.Broken()
	require.ErrorContains(t, s.barrier.Wait(t.Context(), s.group, 0), "reset")
	require.Error(t, s.group.Close(socket.Count{}))
}

// What an event says of the presence after it must not be taken for the type of the next.
func TestTypesAreToldApart(t *testing.T) {
	s := subscribe(t)
	s.post(t, `{"events":[{"type":"OFFLINE","userId":"t0","presence":{"status":"OFFLINE"}},{"type":"ONLINE","userId":"t1"}]}`)
	s.await(t, 1)
	require.NoError(t, s.group.Close(socket.Numbered(0, 2)))
	require.ElementsMatch(t, slices.Repeat([]socket.Told{{Event: 0, Offline: true}, {Event: 1}}, subscribers), s.told)
}

func TestCounts(t *testing.T) {
	require.Equal(t, socket.Count{Events: 3, Sum: 5 + 6 + 7}, socket.Numbered(5, 3))
	require.Equal(t, socket.Count{Events: 3, Sum: 12}, socket.Numbered(5, 2).Plus(socket.Count{Events: 1, Sum: 1}))
}
