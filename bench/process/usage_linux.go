package process

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// clockTick is the unit of /proc's processor times, the same on all Linux systems that
// Go supports.
const clockTick = 10 * time.Millisecond

// CPU is the processor time, of user and system, that the server and the processes that it has
// started have used and still use: PostgreSQL has one for each connection.
func (c *Child) CPU() (time.Duration, error) {
	own, err := readStat(c.PID())
	if err != nil {
		return 0, fmt.Errorf("%s: %w", c.Name, err)
	}
	sum := own.cpu
	paths, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return 0, err
	}
	for _, path := range paths {
		pid, err := strconv.Atoi(filepath.Base(path))
		if err != nil {
			continue
		}
		// One that has just ended is no error.
		if child, err := readStat(pid); err == nil && child.parent == c.PID() {
			sum += child.cpu
		}
	}
	return sum, nil
}

// RSS is the server's resident memory in bytes.
func (c *Child) RSS() (int64, error) {
	s, err := readStat(c.PID())
	if err != nil {
		return 0, fmt.Errorf("%s: %w", c.Name, err)
	}
	return s.rss, nil
}

// stat is what /proc/PID/stat says.
type stat struct {
	parent int
	cpu    time.Duration
	rss    int64
}

func readStat(pid int) (stat, error) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return stat{}, err
	}
	// Behind the program's name, which may have spaces and brackets, come the state, which the manual
	// (proc_pid_stat) counts as field 3, and numbers.
	const state = 3
	fields := bytes.Fields(content[bytes.LastIndexByte(content, ')')+1:])
	number := func(field int) int64 {
		if err != nil || field-state >= len(fields) {
			return 0
		}
		var n int64
		n, err = strconv.ParseInt(string(fields[field-state]), 10, 64)
		return n
	}
	parent, user, system, pages := number(4), number(14), number(15), number(24)
	return stat{int(parent), time.Duration(user+system) * clockTick, pages * int64(os.Getpagesize())}, err
}
