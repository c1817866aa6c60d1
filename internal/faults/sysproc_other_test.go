//go:build !linux

package faults

import "syscall"

// sysProcAttr has nothing to set where there is no parent-death signal.
func sysProcAttr() *syscall.SysProcAttr { return nil }
