//go:build unix

package ws

import "syscall"

// writeOnce writes what fd takes; less than nothing if it takes nothing now.
func writeOnce(fd uintptr, b []byte) int {
	for {
		n, err := syscall.Write(int(fd), b)
		if err != syscall.EINTR {
			return n
		}
	}
}
