package main

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/redis/go-redis/v9/logging"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"rollcall/internal/auth"
	"rollcall/internal/config"
	"rollcall/internal/pgtest"
	"rollcall/internal/redistest"
)

func TestMain(m *testing.M) {
	logging.Disable() // as main does
	goleak.VerifyTestMain(pgtest.Main(m),
		// It ends within a second of its pool's end.
		goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial"))
}

// process is a running server.
type process struct {
	url     string // of the page, with a slash at the end
	startup string // what was printed before it
	end     context.CancelFunc
	ended   chan error
}

// start runs a server on a free port, with leases of 2 s and a database of its own.
func start(t *testing.T, change func(*config.Config)) *process {
	t.Helper()
	return startLogging(t, t.Output(), change)
}

// startLogging is start with a log of all levels that goes elsewhere.
func startLogging(t *testing.T, log io.Writer, change func(*config.Config)) *process {
	t.Helper()
	return startWith(t, slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})), change)
}

func startWith(t testing.TB, log *slog.Logger, change func(*config.Config)) *process {
	t.Helper()
	cfg, err := config.Default()
	require.NoError(t, err)
	cfg.HTTP.Addr = "127.0.0.1:0"
	cfg.Store.TTL, cfg.Store.BackgroundTTL = 2*time.Second, 5*time.Second
	cfg.Users.DatabaseURL = "sqlite:" + filepath.Join(t.TempDir(), "rollcall.db")
	change(&cfg)

	ctx, end := context.WithCancel(t.Context())
	stdout, printed := io.Pipe()
	s := &process{end: end, ended: make(chan error, 1)}
	go func() {
		err := run(ctx, cfg, printed, log)
		_ = printed.Close()
		s.ended <- err
	}()
	t.Cleanup(func() { s.stop(t) })

	lines := bufio.NewScanner(stdout)
	for s.url == "" && lines.Scan() {
		s.startup += lines.Text() + "\n"
		s.url = regexp.MustCompile(`https?://127\.0\.0\.1:\d+/`).FindString(lines.Text())
	}
	if s.url == "" {
		require.NoError(t, <-s.ended)
		t.Fatalf("no address was printed, but:\n%s", s.startup)
	}
	go func() { _, _ = io.Copy(io.Discard, stdout) }()
	return s
}

// stop ends the server as a first Ctrl-C does, and returns how long it took.
func (s *process) stop(t testing.TB) time.Duration {
	t.Helper()
	began := time.Now()
	s.end()
	if err, first := <-s.ended; first {
		require.NoError(t, err)
		close(s.ended)
	}
	http.DefaultClient.CloseIdleConnections()
	return time.Since(began)
}

// stores are the configurations that every end-to-end promise must hold for.
func stores(t *testing.T, test func(t *testing.T, change func(*config.Config))) {
	t.Run("memory", func(t *testing.T) {
		test(t, func(*config.Config) {})
	})
	for layout, url := range map[string]func() string{
		"redis":    func() string { return redistest.Start(t).URL() },
		"cluster":  func() string { return redistest.StartCluster(t, 3, 0).URL() },
		"sentinel": func() string { return redistest.StartSentinel(t, 1, 1).URL() },
		"ring":     func() string { return redistest.StartRing(t, 2).URL() },
	} {
		t.Run(layout, func(t *testing.T) {
			url := url()
			test(t, func(cfg *config.Config) { cfg.Store.RedisURL = url })
		})
	}
}

const signIn = `mutation { heartbeat(input: {deviceId: "phone"}) { outcome session expiresAt user { id name } nextHeartbeatInMs } }`

type signedIn struct {
	Heartbeat struct {
		Outcome, Session  string
		ExpiresAt         time.Time
		User              struct{ ID, Name string }
		NextHeartbeatInMs int
	}
}

type delta struct {
	PresenceChanged struct {
		Cursor string
		Reset  bool
		Events []struct {
			Type, UserID string
			Reason       *string
			At           time.Time
			User         struct{ Name string }
		}
	}
}

func TestUsersComeAndGo(t *testing.T) {
	stores(t, func(t *testing.T, change func(*config.Config)) {
		s := start(t, change)
		watcher := connect(t, s.url, "dev:watcher")
		watcher.subscribe("1", `subscription { presenceChanged { cursor reset events { type userId reason at user { name } } } }`)
		var d delta
		watcher.next(&d)
		require.Empty(t, d.PresenceChanged.Events)
		require.NotEmpty(t, d.PresenceChanged.Cursor)

		var in signedIn
		post(t, s.url, "dev:alice", signIn).into(t, &in)
		require.Equal(t, "SIGNED_IN", in.Heartbeat.Outcome)
		require.Equal(t, "alice", in.Heartbeat.User.ID)
		require.NotEmpty(t, in.Heartbeat.User.Name, "a demo user has a name")
		require.NotEmpty(t, in.Heartbeat.Session)
		require.InDelta(t, 800, in.Heartbeat.NextHeartbeatInMs, 80, "0.4 of the lease")

		watcher.next(&d)
		require.Len(t, d.PresenceChanged.Events, 1)
		require.Equal(t, "ONLINE", d.PresenceChanged.Events[0].Type)
		require.Equal(t, "alice", d.PresenceChanged.Events[0].UserID)
		require.Equal(t, in.Heartbeat.User.Name, d.PresenceChanged.Events[0].User.Name)

		var list struct {
			OnlineUsers struct {
				TotalCount int
				Nodes      []struct{ ID string }
			}
		}
		post(t, s.url, "dev:watcher", `{ onlineUsers { totalCount nodes { id } } }`).into(t, &list)
		require.Equal(t, 1, list.OnlineUsers.TotalCount)
		require.Equal(t, "alice", list.OnlineUsers.Nodes[0].ID)

		d = delta{}
		watcher.next(&d)
		require.Len(t, d.PresenceChanged.Events, 1)
		require.Equal(t, "OFFLINE", d.PresenceChanged.Events[0].Type)
		require.Equal(t, "EXPIRED", *d.PresenceChanged.Events[0].Reason)
		// The promise is by the store's clock, so a slow test does not matter.
		late := d.PresenceChanged.Events[0].At.Sub(in.Heartbeat.ExpiresAt)
		require.GreaterOrEqual(t, late, time.Duration(0))
		require.Less(t, late, time.Second, "of the lease's end")
	})
}

func TestTheEndIsCleanAndQuick(t *testing.T) {
	stores(t, func(t *testing.T, change func(*config.Config)) {
		s := start(t, change)
		watcher := connect(t, s.url, "dev:watcher")
		watcher.subscribe("1", `subscription { onlineCountChanged }`)
		var count struct{ OnlineCountChanged int }
		watcher.next(&count)
		watcher.subscribe("2", `subscription { session(input: {deviceId: "laptop"}) { type } }`)

		code := make(chan websocket.StatusCode, 1)
		go func() { code <- watcher.closed() }()
		require.Less(t, s.stop(t), 5*time.Second)
		require.Equal(t, websocket.StatusServiceRestart, <-code)
	})
}

func TestAStoreThatFailsAndComesBack(t *testing.T) {
	redis := redistest.Start(t)
	s := start(t, func(cfg *config.Config) { cfg.Store.RedisURL = redis.URL() })
	var in signedIn
	post(t, s.url, "dev:alice", signIn).into(t, &in)
	beat := strings.Replace(signIn, `"phone"`, `"phone", session: "`+in.Heartbeat.Session+`"`, 1)

	for name, fault := range map[string]struct{ begin, end func() }{
		"stopped": {redis.Stop, redis.Restart},
		"hanging": {redis.Pause, redis.Resume},
	} {
		fault.begin()
		for range 3 {
			began := time.Now()
			refused := post(t, s.url, "dev:alice", beat)
			require.Less(t, time.Since(began), 1500*time.Millisecond, name)
			require.Equal(t, "UNAVAILABLE", refused.code(), name)
			require.Positive(t, refused.Errors[0].Extensions.RetryAfterMs, name)
		}
		require.Equal(t, http.StatusServiceUnavailable, status(t, s.url+"readyz"), name)
		require.Equal(t, http.StatusOK, status(t, s.url+"healthz"), name)
		fault.end()
		require.Eventually(t, func() bool { return post(t, s.url, "dev:alice", beat).code() == "" },
			patience, 50*time.Millisecond, name)
		require.Eventually(t, func() bool { return status(t, s.url+"readyz") == http.StatusOK },
			patience, 50*time.Millisecond, name)
	}
}

func TestStartWithoutRedisAndDatabase(t *testing.T) {
	redis := redistest.Start(t)
	redis.Stop()
	s := start(t, func(cfg *config.Config) {
		cfg.Store.RedisURL = redis.URL()
		cfg.Users.DatabaseURL = "postgres://127.0.0.1:1/users?connect_timeout=1"
	})
	require.Equal(t, "UNAVAILABLE", post(t, s.url, "dev:alice", signIn).code())
	redis.Restart()
	const anonymous = `mutation { heartbeat(input: {deviceId: "phone"}) { outcome } }`
	require.Eventually(t, func() bool { return post(t, s.url, "dev:alice", anonymous).code() == "" }, patience, 50*time.Millisecond)
}

func TestStartUpSaysWhereToClick(t *testing.T) {
	s := start(t, func(*config.Config) {})
	require.Contains(t, s.startup, s.url)
	require.Equal(t, http.StatusOK, status(t, s.url))
	require.Equal(t, http.StatusOK, status(t, s.url+"readyz"))
}

func TestOnlyDevModeTakesDevTokens(t *testing.T) {
	secret := strings.Repeat("s", auth.MinSecretBytes)
	s := start(t, func(cfg *config.Config) { cfg.Auth.Mode, cfg.Auth.JWTSecret = auth.JWT, secret })
	require.Equal(t, "UNAUTHENTICATED", post(t, s.url, "dev:alice", signIn).code())

	token, err := auth.Mint(auth.Config{Mode: auth.JWT, Secret: []byte(secret)},
		auth.Caller{ID: "alice", Role: auth.User, ExpiresAt: time.Now().Add(time.Hour)})
	require.NoError(t, err)
	require.Empty(t, post(t, s.url, token, signIn).code())
}

func TestAPortInUseIsAnError(t *testing.T) {
	s := start(t, func(*config.Config) {})
	_, stderr, code := execution(t, "--http-addr="+strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/"),
		"--database-url=sqlite:"+filepath.Join(t.TempDir(), "rollcall.db"), "--log-level=error")
	require.Equal(t, 1, code)
	require.Regexp(t, `^rollcall: [^\n]*ROLLCALL_HTTP_ADDR[^\n]*in use\n$`, stderr)
}

func status(t *testing.T, url string) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return res.StatusCode
}
