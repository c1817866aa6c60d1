package faults

import "syscall"

// sysProcAttr lets the kernel end a node when the test binary dies without its
// cleanups, as after a panic or a timeout.
func sysProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
