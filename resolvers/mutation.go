package resolvers

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"rollcall/dataloader"
	"rollcall/graph"
	"rollcall/internal/auth"
	"rollcall/internal/presence"
	"rollcall/resolvers/heartbeat"
)

type mutationResolver root

func (r *mutationResolver) Heartbeat(ctx context.Context, in heartbeat.Input) (*graph.HeartbeatPayload, error) {
	caller, err := auth.FromContext(ctx)
	if err != nil {
		return nil, err
	}
	lease, err := r.Service.Heartbeat(ctx, callersBeat(caller, in))
	if err != nil {
		return nil, err
	}
	dataloader.For(ctx).Forget(caller.ID)
	return &graph.HeartbeatPayload{
		Outcome: lease.Outcome, Session: lease.Session, User: graph.User{ID: caller.ID},
		ServerTime: lease.Now, ExpiresAt: lease.ExpiresAt,
		NextHeartbeatInMs: int(lease.NextBeat.Milliseconds()),
	}, nil
}

// callersBeat is a heartbeat of the caller, whatever the input: nobody beats
// for others but by heartbeats.
func callersBeat(caller auth.Caller, in heartbeat.Input) presence.Heartbeat {
	return beatOf(caller.ID, in)
}

func beatOf(userID string, in heartbeat.Input) presence.Heartbeat {
	kind := presence.Active
	if !in.Active {
		kind = presence.Background
	}
	return presence.Heartbeat{UserID: userID, DeviceID: in.DeviceID, Session: in.Session, Kind: kind}
}

func (r *mutationResolver) Heartbeats(ctx context.Context, in []heartbeat.Input) (*graph.HeartbeatsPayload, error) {
	if _, err := auth.Require(ctx, auth.Service, auth.Admin); err != nil {
		return nil, err
	}
	beats := make([]presence.Heartbeat, len(in))
	for i, b := range in {
		beats[i] = beatOf(b.UserID, b)
	}
	results, err := r.Service.Heartbeats(ctx, beats)
	if err != nil {
		return nil, err
	}
	payload := &graph.HeartbeatsPayload{Results: make([]graph.HeartbeatResult, len(results))}
	for i := range results {
		payload.Results[i].UserID = in[i].UserID
		if err := results[i].Err; err != nil {
			code := graph.HeartbeatErrorCode(judge(err).code)
			payload.Results[i].Error = &code
			continue
		}
		payload.Results[i].Session = &results[i].Lease.Session
		payload.Accepted++
	}
	return payload, nil
}

func (r *mutationResolver) GoOffline(ctx context.Context, in graph.GoOfflineInput) (*graph.GoOfflinePayload, error) {
	caller, err := auth.FromContext(ctx)
	if err != nil {
		return nil, err
	}
	ended, err := r.Service.GoOffline(ctx, caller.ID, in.DeviceID, in.Session)
	return &graph.GoOfflinePayload{Ended: ended}, err
}

func (r *mutationResolver) DisconnectUser(ctx context.Context, userID string, reason *string) (*graph.DisconnectUserPayload, error) {
	caller, err := auth.Require(ctx, auth.Admin)
	if err != nil {
		return nil, err
	}
	why := orElse(reason, "")
	if err := checkReason(why); err != nil {
		return nil, err
	}
	ended, err := r.Service.Disconnect(ctx, userID)
	if err != nil {
		return nil, err
	}
	r.Log.InfoContext(ctx, "user disconnected", "user", userID, "by", caller.ID, "reason", why, "ended", ended)
	return &graph.DisconnectUserPayload{Ended: ended}, nil
}

// maxReasonBytes bounds what a caller can have written to the log.
const maxReasonBytes = 256

func checkReason(reason string) error {
	if len(reason) > maxReasonBytes {
		return presence.Invalid("a reason has at most %d bytes", maxReasonBytes)
	}
	// U+FFFD is what decoders leave where the bytes were no UTF-8.
	if strings.ContainsFunc(reason, func(c rune) bool { return c == utf8.RuneError || !unicode.IsPrint(c) }) {
		return presence.Invalid("a reason is printable UTF-8")
	}
	return nil
}

func (r *mutationResolver) RefreshUsers(ctx context.Context, ids []string) (int, error) {
	if _, err := auth.Require(ctx, auth.Service, auth.Admin); err != nil {
		return 0, err
	}
	if err := presence.CheckUserIDs(ids); err != nil {
		return 0, err
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(ids)))
	if err := r.Directory.Refresh(ctx, distinct); err != nil {
		return 0, err
	}
	dataloader.For(ctx).Forget(distinct...)
	// The list is ordered by levels, which may be among what has changed.
	return len(distinct), r.Service.RefreshLevels(ctx, distinct)
}
