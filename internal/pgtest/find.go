package pgtest

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"syscall"
)

// Programs is the directory of the newest initdb and postgres.
//
// The packages' own directories come before PATH, since what is in PATH may be
// a wrapper that starts something else.
func Programs() (string, error) {
	patterns := []string{
		"/usr/lib/postgresql/*/bin",          // Debian, Ubuntu
		"/usr/pgsql-*/bin",                   // PostgreSQL's own RPMs
		"/opt/homebrew/opt/postgresql@*/bin", // Homebrew on Apple silicon
		"/usr/local/opt/postgresql@*/bin",    // Homebrew on Intel
	}
	var dirs []string
	for _, p := range patterns {
		found, err := filepath.Glob(p)
		if err != nil {
			return "", err
		}
		dirs = append(dirs, found...)
	}
	slices.SortStableFunc(dirs, func(a, b string) int { return cmp.Compare(version(b), version(a)) })
	if inPath, err := exec.LookPath("initdb"); err == nil {
		if program, err := filepath.EvalSymlinks(inPath); err == nil {
			dirs = append(dirs, filepath.Dir(program))
		}
	}
	for _, dir := range dirs {
		if isProgram(filepath.Join(dir, "initdb")) && isProgram(filepath.Join(dir, "postgres")) {
			return dir, nil
		}
	}
	return "", errors.New("found no initdb with a postgres beside it: install the PostgreSQL server package")
}

// version is the first number in a path such as /usr/lib/postgresql/15/bin.
func version(dir string) int {
	n, _ := strconv.Atoi(regexp.MustCompile(`\d+`).FindString(dir))
	return n
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// ServerUser is the user to run as, nil for the current one: PostgreSQL refuses to be root.
func ServerUser() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("user %s: %w", name, err)
		}
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("user %s: %w", name, err)
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("running as root, and there is no user postgres or nobody to run PostgreSQL as")
}
