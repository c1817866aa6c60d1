package ws

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/coder/websocket"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"rollcall/internal/auth"
	"rollcall/internal/presence"
	"rollcall/internal/pulse"
	"rollcall/internal/server/address"
	"rollcall/internal/server/limit"
	"rollcall/internal/server/origin"
	"rollcall/internal/server/refusal"
)

// Config configures a [Transport]. Zero fields take the default that their comment names.
type Config struct {
	// Authenticator checks the tokens. It has no default.
	Authenticator auth.Authenticator
	// Origins are the sites whose pages may open a socket besides the server's own: none.
	Origins origin.List
	// InitTimeout is how long a client may take to send connection_init: 10 s.
	InitTimeout time.Duration
	// PingInterval is how often a client is pinged, ±10 %: 20 s. Its answer, due within PongTimeout (10 s), is
	// the connection's pulse.
	PingInterval, PongTimeout time.Duration
	// WriteTimeout is how long one message may take to be written: 5 s, and never more than PingInterval and
	// PongTimeout together, since nothing is pinged while a write is blocked.
	WriteTimeout time.Duration
	// Queue is how many messages of a socket wait to be written before operations have to: 64.
	Queue int
	// ReadLimit is the size of the largest message that is read, in bytes, if its sender may send as much:
	// [limit.Heartbeats].
	ReadLimit int64
	// MaxOperations is how many operations one socket may run at a time: 100.
	MaxOperations int
	// MaxSockets is how many sockets may be open at a time: any number. More are answered 503.
	MaxSockets int
	// MaxUserSockets is how many sockets a user may have open at a time: any number. SERVICE and ADMIN have no limit.
	MaxUserSockets int
	// Now is the clock that tokens expire by: time.Now.
	Now func() time.Time
	// Log hears of each socket's end, at debug level: nowhere.
	Log *slog.Logger
}

func (c Config) withDefaults() Config {
	c.InitTimeout = cmp.Or(c.InitTimeout, 10*time.Second)
	c.PingInterval = cmp.Or(c.PingInterval, 20*time.Second)
	c.PongTimeout = cmp.Or(c.PongTimeout, 10*time.Second)
	c.WriteTimeout = min(cmp.Or(c.WriteTimeout, 5*time.Second), c.PingInterval+c.PongTimeout)
	c.Queue = cmp.Or(c.Queue, 64)
	c.ReadLimit = cmp.Or(c.ReadLimit, limit.Heartbeats)
	c.MaxOperations = cmp.Or(c.MaxOperations, 100)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// Transport serves WebSocket requests.
type Transport struct {
	cfg   Config
	crew  crew
	seats seats

	mu      sync.Mutex
	sockets map[*socket]struct{}
	opening int // handshakes under way
	down    bool
}

var _ graphql.Transport = (*Transport)(nil)

// New makes a transport.
func New(cfg Config) *Transport {
	return &Transport{cfg: cfg.withDefaults(), sockets: make(map[*socket]struct{}), seats: seats{most: cfg.MaxUserSockets}}
}

// Supports says whether r asks for a WebSocket.
func (t *Transport) Supports(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

// Do opens a socket, which is served until it is closed or the transport is shut down. It outlives its request,
// so that nothing of the request, nor the stack that it was handled on, stays in memory for it. A browser of an
// origin that is not allowed is answered 403.
func (t *Transport) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	if !t.cfg.Origins.Allows(r) {
		http.Error(w, "requests from this origin are not allowed", http.StatusForbidden)
		return
	}
	if !t.begin() {
		full := &presence.RateLimitedError{Message: "too many connections to this server", RetryAfter: fullRetryAfter}
		w.Header().Set("Retry-After", strconv.Itoa(int(fullRetryAfter.Seconds())))
		refusal.Write(w, http.StatusServiceUnavailable, exec.DispatchError(r.Context(), gqlerror.List{gqlerror.Wrap(full)}).Errors...)
		return
	}
	defer t.begun()
	h := &hijacker{ResponseWriter: w}
	conn, err := websocket.Accept(h, r, &websocket.AcceptOptions{
		Subprotocols:       []string{subprotocol},
		InsecureSkipVerify: true, // the library's look at the origin, which was had above
	})
	if err != nil { // the client has been told by the library
		t.cfg.Log.DebugContext(r.Context(), "websocket refused", "err", err)
		return
	}
	conn.SetReadLimit(min(t.cfg.ReadLimit, limit.Request+envelope)) // more, for who turns out to be a service
	setSendBuffer(h.conn, sendBuffer)

	s := newSocket(&t.cfg, &t.crew, conn, h.conn, exec, r.Header.Get("Authorization"))
	s.seats = &t.seats
	ctx, end := context.WithCancelCause(address.With(pulse.With(context.Background(), &s.pulse), address.FromContext(r.Context())))
	s.end = func(why error) { end(why) }
	s.out.end = s.end
	t.join(s)
	go func() {
		defer t.leave(s)
		s.serve(ctx)
	}()
}

// fullRetryAfter is when to come back to a server that has all the sockets that it may have.
const fullRetryAfter = 5 * time.Second

// begin says whether there may be another socket; if so it is opening until begun.
func (t *Transport) begin() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cfg.MaxSockets > 0 && len(t.sockets)+t.opening >= t.cfg.MaxSockets {
		return false
	}
	t.opening++
	return true
}

func (t *Transport) begun() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.opening--
}

func (t *Transport) join(s *socket) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sockets[s] = struct{}{}
	if t.down {
		s.end(errShutdown)
	}
}

func (t *Transport) leave(s *socket) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.sockets, s)
	close(s.left)
}

// Sockets is how many sockets are open.
func (t *Transport) Sockets() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.sockets)
}

// Shutdown closes all sockets, and any that are opened from now on, with 1012. It returns when they are closed,
// or with the error of ctx.
func (t *Transport) Shutdown(ctx context.Context) error {
	for _, s := range t.endAll() {
		select {
		case <-s.left:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (t *Transport) endAll() []*socket {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.down = true
	all := make([]*socket, 0, len(t.sockets))
	for s := range t.sockets {
		s.end(errShutdown)
		all = append(all, s)
	}
	return all
}
