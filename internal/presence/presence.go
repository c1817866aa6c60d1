package presence

import "time"

// Millis is a point in time: milliseconds since the Unix epoch by the store's
// clock. Zero means "never" or "unknown".
type Millis int64

// Time is m in UTC.
func (m Millis) Time() time.Time { return time.UnixMilli(int64(m)).UTC() }

// Add is the time d after m; parts of a millisecond are dropped.
func (m Millis) Add(d time.Duration) Millis { return m + Millis(d.Milliseconds()) }

// Status is what others see of a user.
type Status string

// The statuses. An AWAY user is online and in the list.
const (
	Online  Status = "ONLINE"
	Away    Status = "AWAY"
	Offline Status = "OFFLINE"
)

// Presence is what the store knows of one user.
type Presence struct {
	UserID string
	Status Status
	// LastActiveAt is the last activity known; zero when never seen or forgotten.
	LastActiveAt Millis
	// OnlineSince is since when the user has been online without a break; zero when offline.
	OnlineSince Millis
	// DeviceID is the device of the live session; empty when offline.
	DeviceID string
	// Epoch is the latest session's; zero when none is known.
	Epoch Epoch
}

// NoLevel is the level of a user for whom none is known.
const NoLevel = -1

// LevelUnit is the weight of a level in a composite score: no time reaches it until 2039.
const LevelUnit = 1 << 41

// MaxLevel is the highest level the list can order by. A composite score
// level·LevelUnit + lastActive is exact in a double below 2^53, which leaves twelve
// bits to the level. See [ClampLevel].
const MaxLevel = 1<<12 - 1

// ClampLevel brings a level of the user directory into the range that the list
// can order by; nil is [NoLevel].
func ClampLevel(level *int) int {
	if level == nil {
		return NoLevel
	}
	return min(max(*level, 0), MaxLevel)
}
