//go:build !unix

package ws

// writeOnce writes nothing: what waits is always written by a goroutine that waits.
func writeOnce(uintptr, []byte) int { return 0 }
