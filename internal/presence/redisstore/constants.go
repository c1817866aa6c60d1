package redisstore

import (
	"fmt"

	"rollcall/internal/presence"
)

// The states of a user's record.
const (
	stateOnline       = 1
	stateAway         = 2 // AWAY has been told
	stateExpired      = 3
	stateSignedOut    = 4
	stateDisconnected = 5
)

// The codes that beat.lua and end.lua answer with; those below zero refuse.
const (
	codeSignedIn            = 0
	codeRefreshed           = 1
	codeResumed             = 2
	codeReplacedOtherDevice = 3
	codeReplaced            = -1
	codeEnded               = -2
	codeAhead               = -3
)

// constants are the numbers that Go and the scripts share, as Lua; times in ms.
func constants() string {
	return fmt.Sprintf(`local SEEN_FOR, EPOCH_LEAD, LEVEL_UNIT, NO_LEVEL = %d, %d, %d, %d
local ONLINE, AWAY, EXPIRED, SIGNED_OUT, DISCONNECTED = %d, %d, %d, %d, %d
local SIGNED_IN, REFRESHED, RESUMED, REPLACED_OTHER_DEVICE, REPLACED, ENDED, AHEAD = %d, %d, %d, %d, %d, %d, %d
local ACTIVE, BACKGROUND, PONG = %d, %d, %d
`,
		presence.SeenFor.Milliseconds(), presence.EpochLead.Milliseconds(), int64(presence.LevelUnit), presence.NoLevel,
		stateOnline, stateAway, stateExpired, stateSignedOut, stateDisconnected,
		codeSignedIn, codeRefreshed, codeResumed, codeReplacedOtherDevice, codeReplaced, codeEnded, codeAhead,
		presence.Active, presence.Background, presence.Pong)
}
