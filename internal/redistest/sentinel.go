package redistest

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Sentinel is a primary with replicas and the Sentinels that watch them.
type Sentinel struct {
	Primary   *Server // at the start
	Replicas  []*Server
	Sentinels []*Server

	guard Guard
}

// sentinelMaster is the name of the primary.
const sentinelMaster = "rollcall"

// StartSentinel starts a primary, its replicas, and Sentinels that make one of them the
// primary when it has been away for a second. All know each other when it returns.
func StartSentinel(t testing.TB, replicas, sentinels int) *Sentinel {
	t.Helper()
	return Guard{}.StartSentinel(t, replicas, sentinels)
}

// StartSentinel is the function StartSentinel for servers and Sentinels that demand
// what g says, of each other as well.
func (g Guard) StartSentinel(t testing.TB, replicas, sentinels int) *Sentinel {
	t.Helper()
	args := append(g.replication(), "--repl-diskless-sync-delay", "0")
	s := &Sentinel{Primary: g.Start(t, args...), guard: g}
	host, port, err := net.SplitHostPort(s.Primary.Addr)
	if err != nil {
		t.Fatalf("redistest: %v", err)
	}
	for range replicas {
		s.Replicas = append(s.Replicas, g.Start(t, append(args, "--replicaof", host+" "+port)...))
	}
	quorum := sentinels/2 + 1
	for range sentinels {
		s.Sentinels = append(s.Sentinels, g.startSentinel(t, host, port, quorum))
	}
	ctx, cancel := context.WithTimeout(context.Background(), startDeadline)
	defer cancel()
	for _, replica := range s.Replicas {
		if err := until(ctx, func() error { return inStep(ctx, replica.Client()) }); err != nil {
			t.Fatalf("redistest: replica: %v", err)
		}
	}
	for _, sentinel := range s.Sentinels {
		if err := until(ctx, func() error { return s.watched(ctx, sentinel) }); err != nil {
			t.Fatalf("redistest: sentinel: %v", err)
		}
	}
	return s
}

// startSentinel runs a redis-server as Sentinel. It writes its state into its
// configuration, so that has to be a file.
func (g Guard) startSentinel(t testing.TB, host, port string, quorum int) *Server {
	t.Helper()
	file := filepath.Join(t.TempDir(), "sentinel.conf")
	lines := []string{
		"sentinel monitor " + sentinelMaster + " " + host + " " + port + " " + strconv.Itoa(quorum),
		"sentinel down-after-milliseconds " + sentinelMaster + " 1000",
		"sentinel failover-timeout " + sentinelMaster + " 5000",
	}
	if g.Login != (Login{}) {
		lines = append(lines,
			"sentinel auth-user "+sentinelMaster+" "+g.Login.User, "sentinel auth-pass "+sentinelMaster+" "+g.Login.Password)
	}
	if g.Sentinels != (Login{}) { // by which the Sentinels ask each other
		lines = append(lines, "sentinel sentinel-user "+g.Sentinels.User, "sentinel sentinel-pass "+g.Sentinels.Password)
	}
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatalf("redistest: %v", err)
	}
	return g.ofSentinels().Start(t, sentinelMode, file)
}

// watched tells whether a Sentinel knows the replicas and the other Sentinels.
func (s *Sentinel) watched(ctx context.Context, sentinel *Server) error {
	state, err := sentinel.Client().Do(ctx, "SENTINEL", "CKQUORUM", sentinelMaster).Text()
	if err != nil {
		return err
	}
	info, err := sentinel.Client().Info(ctx, "sentinel").Result()
	want := "slaves=" + strconv.Itoa(len(s.Replicas)) + ",sentinels=" + strconv.Itoa(len(s.Sentinels))
	if err == nil && !strings.Contains(info, want) {
		err = fmt.Errorf("not all are known yet: %s: %s", state, info)
	}
	return err
}

// URL is the redis+sentinel:// URL.
func (s *Sentinel) URL() string { return s.URLAs(s.guard) }

// URLAs is the URL with what g demands, whatever the servers do.
func (s *Sentinel) URLAs(g Guard) string {
	params := url.Values{}
	if login := g.Sentinels; login != (Login{}) {
		params.Set("sentinel_username", login.User)
		params.Set("sentinel_password", login.Password)
	}
	return g.url("redis+sentinel", addrs(s.Sentinels)+"/"+sentinelMaster, params)
}
