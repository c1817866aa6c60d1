//go:build !linux

package process

import "time"

// CPU is not known here: 0.
func (*Child) CPU() (time.Duration, error) { return 0, nil }

// RSS is not known here: 0.
func (*Child) RSS() (int64, error) { return 0, nil }
