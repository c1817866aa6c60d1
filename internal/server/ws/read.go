package ws

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"rollcall/internal/auth"
	"rollcall/internal/server/request"
)

// envelope is room for what a message has around its payload, in bytes.
const envelope = 1 << 10

// read serves the client's messages until it has reason to close the socket, and returns that reason.
func (s *socket) read(ctx context.Context) error {
	late := time.AfterFunc(s.cfg.InitTimeout, func() { s.end(errInitTimeout) })
	defer late.Stop()
	m, err := s.untilInit(ctx)
	if err != nil {
		return err
	}
	late.Stop()
	ctx, err = s.authenticate(ctx, m.Payload)
	if s.expiry != nil {
		defer s.expiry.Stop()
	}
	if err != nil {
		return err
	}
	if s.seated != "" {
		defer s.seats.free(s.seated)
	}
	if err := s.out.put(ctx, outgoing{kind: typeAck}); err != nil {
		return err
	}
	for {
		m, err := s.next(ctx)
		if err != nil {
			return err
		}
		switch m.Type {
		case typeInit:
			return errTooManyInits
		case typeSubscribe:
			err = s.subscribe(ctx, m)
		case typeComplete:
			s.ops.complete(m.ID)
		}
		if err != nil {
			return err
		}
	}
}

// untilInit is the connection_init message, before which there is nothing to do but answer pings.
func (s *socket) untilInit(ctx context.Context) (message, error) {
	for {
		m, err := s.next(ctx)
		if err != nil {
			return m, err
		}
		switch m.Type {
		case typeInit:
			return m, nil
		case typeSubscribe:
			return m, errUnauthorized
		}
	}
}

// next is the client's next message of substance: pings are answered and pongs heard on the way.
func (s *socket) next(ctx context.Context) (message, error) {
	for {
		// Not with ctx, whose end would cut the connection before the close frame is out.
		kind, data, err := s.conn.Read(context.Background())
		if ctx.Err() != nil {
			return message{}, why(ctx)
		}
		if err != nil {
			return message{}, readFailure(err)
		}
		m, err := parse(kind, data)
		if err != nil {
			return m, err
		}
		switch m.Type {
		case typeInit, typeSubscribe, typeComplete:
			return m, nil
		case typePing:
			if err := s.out.put(ctx, outgoing{kind: typePong, payload: m.Payload}); err != nil {
				return m, err
			}
		case typePong:
		default:
			return m, errUnknownType
		}
	}
}

// authenticate is ctx with the caller whom connection_init or the handshake names. Without a token the
// connection is anonymous. When the token expires, the socket is closed. The payload is no HTTP header, and
// clients differ in whether they write "Bearer " there; the handshake's header must have it.
func (s *socket) authenticate(ctx context.Context, payload json.RawMessage) (context.Context, error) {
	var init struct {
		Authorization *string // encoding/json takes the key in any case
	}
	if len(payload) > 0 && json.Unmarshal(payload, &init) != nil {
		return ctx, errMalformedPayload
	}
	authorization := s.authorization
	if init.Authorization != nil {
		authorization = auth.Authorization(*init.Authorization)
	}
	if authorization == "" {
		return ctx, nil
	}
	caller, err := s.cfg.Authenticator.Authenticate(ctx, authorization)
	switch {
	case errors.Is(err, auth.ErrUnavailable):
		return ctx, errUnchecked
	case err != nil:
		return ctx, errForbidden
	}
	if !caller.ExpiresAt.IsZero() {
		// Without the authenticator's leeway, and before the acknowledgement, at which clients forget that they have
		// failed before, and would come back at once.
		if !s.cfg.Now().Before(caller.ExpiresAt) {
			return ctx, errExpired
		}
		s.expiry = time.AfterFunc(caller.ExpiresAt.Sub(s.cfg.Now()), func() { s.end(errExpired) })
	}
	if caller.Role == auth.User {
		if !s.seats.take(caller.ID) {
			return ctx, errTooManySockets
		}
		s.seated = caller.ID
	}
	ctx = auth.WithCaller(ctx, caller)
	s.conn.SetReadLimit(min(s.cfg.ReadLimit, int64(request.MaxBytes(ctx))+envelope))
	return ctx, nil
}
