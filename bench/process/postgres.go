package process

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/jackc/pgx/v5"

	"rollcall/internal/pgtest"
)

// StartPostgres makes a cluster with the settings of a fresh installation, but for fsync, and
// starts it. URL connects to it.
func StartPostgres(ctx context.Context, dir, name string, fsync bool) (*Child, error) {
	bin, err := pgtest.Programs()
	if err != nil {
		return nil, err
	}
	owner, err := pgtest.ServerUser()
	if err != nil {
		return nil, err
	}
	home := filepath.Join(dir, name)
	if err := os.MkdirAll(home, 0o700); err != nil {
		return nil, err
	}
	if owner != nil {
		if err := os.Chown(home, int(owner.Uid), int(owner.Gid)); err != nil {
			return nil, err
		}
	}
	data := filepath.Join(home, "data")
	// #nosec G204 -- the programs are those of the system's packages
	initialise := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), "--no-sync", "--no-locale", "-E", "UTF8", "-A", "trust", "-U", "postgres", "-D", data)
	initialise.Dir, initialise.SysProcAttr = home, sysProcAttr(owner)
	if out, err := initialise.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	addr, err := FreeAddr(ctx)
	if err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	setting := map[bool]string{true: "on", false: "off"}[fsync]
	return Start(ctx, Program{
		Name: name, Path: filepath.Join(bin, "postgres"), Dir: home, Addr: addr, User: owner,
		Args: []string{"-D", data, "-p", port, "-k", home, "-c", "listen_addresses=127.0.0.1", "-c", "fsync=" + setting},
		Ready: func(ctx context.Context) error {
			conn, err := pgx.Connect(ctx, PostgresURL(addr))
			if err != nil {
				return err
			}
			return conn.Close(ctx)
		},
	})
}

// PostgresURL connects to the database of a cluster that StartPostgres has started.
func PostgresURL(addr string) string {
	return "postgres://postgres@" + addr + "/postgres?sslmode=disable"
}
