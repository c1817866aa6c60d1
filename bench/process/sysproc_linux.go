package process

import "syscall"

// sysProcAttr lets the kernel end the server when the benchmark dies.
func sysProcAttr(user *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Credential: user}
}
