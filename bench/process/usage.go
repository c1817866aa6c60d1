package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// clockTick is the unit of /proc's processor times, the same on all Linux systems that
// Go supports.
const clockTick = 10 * time.Millisecond

// CPU is the processor time that the server has used, of user and system.
func (c *Child) CPU() (time.Duration, error) {
	fields, err := c.proc("stat")
	if err != nil {
		return 0, err
	}
	user, err := strconv.Atoi(string(fields[11]))
	if err != nil {
		return 0, err
	}
	system, err := strconv.Atoi(string(fields[12]))
	return time.Duration(user+system) * clockTick, err
}

// RSS is the server's resident memory in bytes.
func (c *Child) RSS() (int64, error) {
	fields, err := c.proc("stat")
	if err != nil {
		return 0, err
	}
	pages, err := strconv.ParseInt(string(fields[21]), 10, 64)
	return pages * int64(os.Getpagesize()), err
}

// proc is the fields of /proc/PID/stat behind the program's name, which may have
// spaces: the first is the state, which the manual counts as the third.
func (c *Child) proc(file string) ([][]byte, error) {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", c.PID(), file))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	fields := bytes.Fields(content[bytes.LastIndexByte(content, ')')+1:])
	if len(fields) < 22 {
		return nil, fmt.Errorf("%s: %d fields in /proc", c.Name, len(fields))
	}
	return fields, nil
}
