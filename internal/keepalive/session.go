package keepalive

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"rollcall/internal/feed"
	"rollcall/internal/presence"
	"rollcall/internal/pulse"
)

// session is one session that is being kept. One goroutine runs it, so that
// there is at most one beat in flight.
type session struct {
	service Heartbeater
	sub     *feed.Subscription
	log     *slog.Logger
	events  chan Event

	next  presence.Heartbeat // what the next pong sends
	epoch presence.Epoch
	// restUntil is before when pongs are passed over, since the lease is fresh.
	// This node's clock: it only chooses when to beat.
	restUntil time.Time
	failing   bool
}

// restShare is the part of a lease for which a fresh one needs no further
// beat: well below the 0.4 at which clients beat, so that no ping interval that
// suits the lease is thinned out to one beat in it.
const restShare = 5

// granted takes over what an accepted beat granted.
func (s *session) granted(l presence.Lease) {
	s.epoch = l.Epoch
	s.next.Session = &l.Session
	length := time.Duration(l.ExpiresAt-l.Now) * time.Millisecond
	s.restUntil = time.Now().Add(length / restShare)
}

// run keeps the session until it or ctx ends.
func (s *session) run(ctx context.Context, p *pulse.Pulse) {
	defer s.sub.Close()
	pongs, stop := p.Listen()
	defer stop()
	for {
		var end EventType
		select {
		case <-ctx.Done():
			return
		case <-pongs:
			if time.Now().Before(s.restUntil) {
				continue
			}
			end = s.beat(ctx)
		case <-s.sub.Wake():
			var err error
			if end, err = s.hear(ctx); err != nil {
				return // the hub has stopped: so does this node
			}
		}
		if end != "" {
			s.events <- Event{Type: end, Session: *s.next.Session}
			return
		}
	}
}

// beat extends the lease. It returns how the session ended, if it did.
func (s *session) beat(ctx context.Context) EventType {
	lease, err := s.service.Heartbeat(ctx, s.next)
	switch {
	case err == nil:
		s.failing = false
		s.granted(lease)
	case errors.Is(err, presence.ErrSessionReplaced):
		return Replaced
	case errors.Is(err, presence.ErrSessionEnded):
		return Ended
	case ctx.Err() == nil && !s.failing:
		// The next pong tries again; whether the session survived, only
		// the store can say.
		s.failing = true
		level := slog.LevelWarn
		var unavailable *presence.UnavailableError
		if errors.As(err, &unavailable) {
			level = slog.LevelDebug // an outage hits every session, and others tell of it
		}
		s.log.Log(ctx, level, "a pong could not extend its session; trying on", "user", s.next.UserID, "err", err)
	}
	return ""
}

// hear takes in what the feed has to say of the user, and returns how the
// session ended, if it did.
func (s *session) hear(ctx context.Context) (EventType, error) {
	for {
		delta, err := s.sub.Poll()
		if err != nil || delta == nil {
			return "", err
		}
		for _, e := range delta.Events {
			if end := s.judge(e); end != "" {
				return end, nil
			}
		}
		if delta.Reset {
			// The end of the session may be among what was missed.
			if end := s.beat(ctx); end != "" {
				return end, nil
			}
		}
	}
}

// judge is how an event ended the session, if it did. Events of older epochs
// are of sessions that this one has replaced, perhaps the same client's own.
func (s *session) judge(e presence.Event) EventType {
	switch {
	case e.Presence.Epoch > s.epoch:
		return Replaced
	case e.Presence.Epoch < s.epoch || e.Type != presence.EventOffline:
		return ""
	case e.Reason == presence.Expired:
		s.restUntil = time.Time{} // the next pong resumes
		return ""
	}
	return Ended
}
