package pgtest

import "syscall"

// sysProcAttr lets the kernel end the server when the test binary dies without
// its cleanups, as after a panic or a timeout.
func sysProcAttr(user *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: user, Pdeathsig: syscall.SIGQUIT}
}
