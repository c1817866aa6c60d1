package presence

import (
	"context"
	"fmt"
	"time"
)

// History is how many users were online, by minute and by hour of the store's clock, for
// [HistoryFor]. It is of the whole store: resharding leaves it as it is. It takes the same
// space however many users, nodes and samples there are.
//
// What it does not know it leaves out: a time when no node ran or none could count, and
// all that was before the store lost its data. It is an estimate, so a sample may get lost.
type History interface {
	// RecordOnline counts online as the sample of now. Each [SampleEvery] of a minute has one: the
	// first, whichever node it comes from and however often the step is run. So a minute has as many
	// samples whether one node takes them or many. After a sample of a later part of the same
	// minute, by a clock that was set back, it does nothing.
	RecordOnline(ctx context.Context, online int) error

	// OnlineHistory is the points that begin before to and end after from, the earliest first.
	// There are none of a time after now, and none that are HistoryFor old, counted in whole points.
	// If they could be more than [MaxPoints]: ErrTooManyPoints.
	OnlineHistory(ctx context.Context, from, to Millis, r Resolution) ([]OnlinePoint, error)
}

const (
	// HistoryFor is how long the history is kept.
	HistoryFor = 30 * 24 * time.Hour
	// SampleEvery is how often the users online are counted: a part of a minute.
	SampleEvery = 5 * time.Second
	// MaxPoints is how many points of the history one answer has at most: a day by the minute, all
	// that is kept by the hour.
	MaxPoints = 1500
)

// ErrTooManyPoints says that more than [MaxPoints] were asked for.
var ErrTooManyPoints = &InvalidError{fmt.Sprintf("more than %d points; ask for a shorter time, or by the hour", MaxPoints)}

// OnlinePoint is how many users were online in one minute or hour.
type OnlinePoint struct {
	At      Millis // its beginning
	Peak    int    // the largest sample
	Average float64
}

// Resolution is what a point of the history stands for.
type Resolution string

// The resolutions.
const (
	ByMinute Resolution = "MINUTE"
	ByHour   Resolution = "HOUR"
)

// Unit is the time that a point stands for. Units are counted from the Unix epoch.
func (r Resolution) Unit() time.Duration {
	if r == ByHour {
		return time.Hour
	}
	return time.Minute
}

// Kept is how many units are kept, that of now included.
func (r Resolution) Kept() int { return int(HistoryFor / r.Unit()) }

// Span is the units that a store answers with at a time now; none if last < first.
func (r Resolution) Span(from, to, now Millis) (first, last int64, err error) {
	unit := r.Unit().Milliseconds()
	current := int64(now) / unit
	first = max(int64(from)/unit, current-int64(r.Kept())+1)
	last = min(int64(to-1)/unit, current)
	if last-first >= MaxPoints {
		return 0, 0, ErrTooManyPoints
	}
	return first, last, nil
}

// untilNow is later than any store's clock shows, and exact in a script's numbers.
const untilNow Millis = 1<<53 - 1

// OnlineHistory is how many users were online from a time on; a nil to is now. Errors:
// [*InvalidError], [*UnavailableError].
func (s *Service) OnlineHistory(ctx context.Context, from Millis, to *Millis, r Resolution) ([]OnlinePoint, error) {
	until := untilNow
	if to != nil {
		until = *to
	}
	if from > until {
		return nil, Invalid("from is later than to")
	}
	return s.store.OnlineHistory(ctx, from, until, r)
}
