package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/jackc/pgx/v5"
)

// StartPostgres makes a cluster with the settings of a fresh installation, but for fsync, and
// starts it. URL connects to it.
func StartPostgres(ctx context.Context, dir, name string, fsync bool) (*Child, error) {
	bin, err := PostgresPrograms()
	if err != nil {
		return nil, err
	}
	owner, err := postgresUser()
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

// PostgresPrograms is the directory of an initdb with a postgres beside it.
func PostgresPrograms() (string, error) {
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql@*/bin", "/usr/local/opt/postgresql@*/bin",
	} {
		found, err := filepath.Glob(filepath.Join(pattern, "initdb"))
		if err != nil {
			return "", err
		}
		if len(found) > 0 {
			return filepath.Dir(found[len(found)-1]), nil
		}
	}
	if found, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(found), nil
	}
	return "", errors.New("found no initdb: install the PostgreSQL server package")
}

// postgresUser is the user to run as, nil for the current one: PostgreSQL refuses to be root.
func postgresUser() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
}
