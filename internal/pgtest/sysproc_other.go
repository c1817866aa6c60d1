//go:build !linux

package pgtest

import "syscall"

// sysProcAttr can't tie the server's life to ours where there is no
// parent-death signal.
func sysProcAttr(user *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: user}
}
