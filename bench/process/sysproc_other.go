//go:build !linux

package process

import "syscall"

func sysProcAttr(user *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: user}
}
