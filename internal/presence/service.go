package presence

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"
)

// Limits of requests.
const (
	MaxBeats = 1000 // heartbeats in one request
	MaxIDs   = 500  // user ids in one request
)

// Levels is where the levels of users come from: one for each of the given
// users, brought into range by [ClampLevel], [NoLevel] for whom there is none.
// It logs its failures itself, once an outage rather than once a call.
type Levels interface {
	Levels(ctx context.Context, userIDs []string) (map[string]int, error)
}

// levelPatience is how long a sign-in waits for its level. The directory is no
// part of presence: a slow one must not look like a slow heartbeat.
const levelPatience = 500 * time.Millisecond

// Service is presence as callers use it: it checks what comes from outside,
// turns session tokens into epochs and back, and keeps the levels of the list.
type Service struct {
	store  Store
	rules  Rules
	levels Levels // nil: nobody has a level
	log    *slog.Logger
	early  *early // nil: each beat goes to the store

	arrears arrears
}

// NewService is a service over store. A nil levels leaves everybody without a level.
func NewService(store Store, rules Rules, levels Levels, log *slog.Logger) *Service {
	return &Service{store: store, rules: rules, levels: levels, log: log}
}

// Heartbeat is one heartbeat as it comes from outside.
type Heartbeat struct {
	UserID   string
	DeviceID string
	Session  *string // nil: sign in
	Kind     BeatKind
}

// Lease is what an accepted heartbeat grants.
type Lease struct {
	Outcome   Outcome
	Session   string // the token for the next heartbeat
	Epoch     Epoch
	Now       Millis // the store's time of the heartbeat
	ExpiresAt Millis
	NextBeat  time.Duration // when to send the next heartbeat
}

// Heartbeat takes one heartbeat. Errors: [*InvalidError], [ErrSessionReplaced],
// [ErrSessionEnded], [*UnavailableError].
func (s *Service) Heartbeat(ctx context.Context, h Heartbeat) (Lease, error) {
	beat, err := h.beat()
	if err != nil {
		return Lease{}, err
	}
	if lease, known := s.early.answer(beat); known {
		lease.Session = *h.Session
		return lease, nil
	}
	began := s.early.moment()
	results, err := s.store.Beat(ctx, []Beat{beat})
	if err != nil {
		return Lease{}, err
	}
	s.early.note(beat, began, results[0])
	if r := results[0]; r.Err != nil {
		return Lease{}, r.Err
	}
	s.takeLevels(ctx, []Beat{beat}, results)
	return s.lease(h, beat, results[0]), nil
}

// HeartbeatResult is the answer to one of many heartbeats.
type HeartbeatResult struct {
	Lease Lease // when Err is nil
	// Err is an [*InvalidError], [ErrSessionReplaced] or [ErrSessionEnded].
	Err error
}

// Heartbeats takes 1 to [MaxBeats] heartbeats of as many users; results are in
// their order. Too many, none or two of one user is an [*InvalidError] and
// changes nothing. On an [*UnavailableError] some may have been applied; to
// send all again is safe.
func (s *Service) Heartbeats(ctx context.Context, hs []Heartbeat) ([]HeartbeatResult, error) {
	if len(hs) == 0 || len(hs) > MaxBeats {
		return nil, Invalid("%d heartbeats; there must be 1 to %d", len(hs), MaxBeats)
	}
	seen := make(map[string]struct{}, len(hs))
	results := make([]HeartbeatResult, len(hs))
	beats := make([]Beat, 0, len(hs))
	at := make([]int, 0, len(hs)) // at[i] is where the result of beats[i] goes
	for i, h := range hs {
		if _, twice := seen[h.UserID]; twice {
			return nil, Invalid("two heartbeats of one user in entry %d", i)
		}
		seen[h.UserID] = struct{}{}
		beat, err := h.beat()
		if err != nil {
			results[i].Err = err
			continue
		}
		beats, at = append(beats, beat), append(at, i)
	}
	if len(beats) == 0 {
		return results, nil
	}
	done, err := s.store.Beat(ctx, beats)
	if err != nil {
		return nil, err
	}
	s.takeLevels(ctx, beats, done)
	for i, r := range done {
		if r.Err != nil || r.Outcome != Refreshed {
			s.early.forget(beats[i].UserID)
		}
		if r.Err != nil {
			results[at[i]].Err = r.Err
			continue
		}
		results[at[i]].Lease = s.lease(hs[at[i]], beats[i], r)
	}
	return results, nil
}

// GoOffline signs the user's session out and tells whether it was live. A
// session that a newer sign-in has replaced is left alone.
func (s *Service) GoOffline(ctx context.Context, userID, deviceID, session string) (bool, error) {
	if err := CheckDeviceID(deviceID); err != nil {
		return false, err
	}
	epoch, err := ParseSessionToken(session, userID, deviceID)
	if err != nil {
		return false, err
	}
	defer s.early.forget(userID)
	return s.store.End(ctx, userID, epoch, SignedOut)
}

// Disconnect ends whichever session the user has and tells whether one was live.
func (s *Service) Disconnect(ctx context.Context, userID string) (bool, error) {
	if err := CheckUserID(userID); err != nil {
		return false, err
	}
	defer s.early.forget(userID)
	return s.store.End(ctx, userID, 0, Disconnected)
}

// Presences is the presence of at most [MaxIDs] users, in the ids' order.
func (s *Service) Presences(ctx context.Context, userIDs []string) ([]Presence, error) {
	if err := CheckUserIDs(userIDs); err != nil {
		return nil, err
	}
	if len(userIDs) == 0 {
		return nil, nil
	}
	return s.store.Presences(ctx, userIDs)
}

// Page is a page of the list; First is 1 to [MaxFirst].
func (s *Service) Page(ctx context.Context, req PageRequest) (Page, error) {
	if err := checkFirst(req.First); err != nil {
		return Page{}, err
	}
	return s.store.Page(ctx, req)
}

// Total is how many users the list of a request has, without any of them. A
// request that is no good for a page is none for its total either.
func (s *Service) Total(ctx context.Context, req PageRequest) (int, error) {
	if err := checkFirst(req.First); err != nil {
		return 0, err
	}
	return s.total(ctx, req.Order, req.Filter)
}

// Count is how many users are online.
func (s *Service) Count(ctx context.Context) (int, error) {
	return s.total(ctx, LastActiveDesc, Filter{})
}

func (s *Service) total(ctx context.Context, order Order, filter Filter) (int, error) {
	page, err := s.store.Page(ctx, PageRequest{Order: order, Filter: filter})
	return page.Total, err
}

func checkFirst(first int) error {
	if first < 1 || first > MaxFirst {
		return Invalid("first is %d; it must be 1 to %d", first, MaxFirst)
	}
	return nil
}

var errNoLevels = errors.New("levels could not be read")

// RefreshLevels reads the levels of these users anew, for those in the list.
func (s *Service) RefreshLevels(ctx context.Context, userIDs []string) error {
	if s.levels == nil || !s.store.HasLevelIndex() || len(userIDs) == 0 {
		return nil
	}
	levels, err := s.levels.Levels(ctx, userIDs)
	if err != nil {
		return fmt.Errorf("%w: %w", errNoLevels, err)
	}
	return s.store.SetLevels(ctx, levels)
}

// Stats is the store's size and balance.
func (s *Service) Stats(ctx context.Context) (Stats, error) { return s.store.Stats(ctx) }

// Subscribers is how many subscribers all nodes have, of whom this one has own.
func (s *Service) Subscribers(ctx context.Context, own int) (int, error) {
	return s.store.Subscribers(ctx, own)
}

// CheckUserIDs reports whether ids are at most [MaxIDs] valid user ids.
func CheckUserIDs(ids []string) error {
	if len(ids) > MaxIDs {
		return Invalid("%d ids; there may be at most %d", len(ids), MaxIDs)
	}
	for _, id := range ids {
		if err := CheckUserID(id); err != nil {
			return err
		}
	}
	return nil
}

func (h Heartbeat) beat() (Beat, error) {
	beat := Beat{UserID: h.UserID, DeviceID: h.DeviceID, Kind: h.Kind}
	if err := CheckUserID(h.UserID); err != nil {
		return beat, err
	}
	if err := CheckDeviceID(h.DeviceID); err != nil {
		return beat, err
	}
	if h.Session == nil {
		beat.Nonce = 1 + rand.Uint32N(MaxNonce)
		return beat, nil
	}
	var err error
	beat.Epoch, err = ParseSessionToken(*h.Session, h.UserID, h.DeviceID)
	return beat, err
}

func (s *Service) lease(h Heartbeat, b Beat, r BeatResult) Lease {
	lease := Lease{
		Outcome: r.Outcome, Epoch: r.Epoch,
		Now: r.Now, ExpiresAt: r.LeaseEnd, NextBeat: s.rules.NextBeat(b.Kind),
	}
	if h.Session != nil && r.Epoch == b.Epoch {
		lease.Session = *h.Session // a session's token has one spelling
	} else {
		lease.Session = SessionToken(b.UserID, b.DeviceID, r.Epoch)
	}
	return lease
}

// takeLevels gives the list the levels of users whose session is new to it. A
// failing directory costs them their place by level until [Service.Run] has
// tried again, never the beat.
func (s *Service) takeLevels(ctx context.Context, beats []Beat, results []BeatResult) {
	var ids []string
	for i, r := range results {
		if r.Err == nil && r.Outcome != Refreshed {
			ids = append(ids, beats[i].UserID)
		}
	}
	if len(ids) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, levelPatience)
	defer cancel()
	if err := s.RefreshLevels(ctx, ids); err != nil {
		s.arrears.add(ids)
		level := slog.LevelWarn
		var unavailable *UnavailableError
		if errors.Is(err, errNoLevels) || errors.As(err, &unavailable) || ctx.Err() != nil {
			level = slog.LevelDebug // in an outage it is so for each sign-in, and others tell of that
		}
		s.log.Log(ctx, level, "sign-ins keep their last known level for now", "users", len(ids), "err", err)
	}
}
