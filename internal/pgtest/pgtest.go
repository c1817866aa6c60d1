// Package pgtest gives tests databases on a private PostgreSQL cluster.
//
// The cluster is made in a temporary directory at first use, listens on a free
// port of 127.0.0.1, does not care for durability, and ends with the test
// binary. Tests never use a server that was already there.
package pgtest

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Runner is what testing.M and goleak's VerifyTestMain agree on.
type Runner interface{ Run() int }

// Main wraps a package's tests so that they may use Database, and ends the
// cluster after them:
//
//	func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main(m)) }
func Main(m Runner) Runner { return &runner{tests: m} }

type runner struct{ tests Runner }

func (r *runner) Run() int {
	binary.allow()
	defer binary.stop()
	return r.tests.Run()
}

// Database makes an empty database for this test and returns its URL. It is
// dropped when the test ends, whoever is still connected.
func Database(t testing.TB) string {
	t.Helper()
	c, err := binary.start()
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	name := "t_" + strings.ToLower(rand.Text()[:12])
	if err := c.exec(`CREATE DATABASE ` + name); err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(func() {
		if err := c.exec(`DROP DATABASE ` + name + ` WITH (FORCE)`); err != nil {
			t.Errorf("pgtest: %v", err)
		}
	})
	return c.url(name)
}

// exec runs one statement in the cluster's own database.
func (c *cluster) exec(sql string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, c.url("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, sql)
	return err
}
