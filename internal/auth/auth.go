package auth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"
)

// maxTokenBytes is far beyond any real token, and small enough that hostile
// ones cost next to nothing.
const maxTokenBytes = 8 << 10

// Tokens checks tokens as its configuration says.
type Tokens struct {
	Authenticator
	set *keySet // nil without a URL
}

// New is the authenticator that cfg asks for. What happens to a key set is told to log.
func New(cfg Config, log *slog.Logger) (*Tokens, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	switch {
	case cfg.Mode == Dev:
		return &Tokens{Authenticator: devTokens{}}, nil
	case cfg.JWKSURL != "":
		set := newKeySet(cfg.JWKSURL, log)
		return &Tokens{newVerifier(cfg, set, time.Now), set}, nil
	case cfg.PublicKeyFile != "":
		public, err := readKeys(cfg.PublicKeyFile)
		if err != nil {
			return nil, fmt.Errorf("public keys: %w", err)
		}
		return &Tokens{Authenticator: newVerifier(cfg, public, time.Now)}, nil
	}
	return &Tokens{Authenticator: newVerifier(cfg, fixedKeys{secretKey(cfg.Secret)}, time.Now)}, nil
}

// Run keeps the keys up to date until ctx ends. Without it, tokens whose keys have a URL wait in vain.
func (t *Tokens) Run(ctx context.Context) {
	if t.set == nil {
		<-ctx.Done()
		return
	}
	t.set.run(ctx)
}

// Ready says why tokens can't be checked at the moment.
func (t *Tokens) Ready() error {
	if t.set == nil {
		return nil
	}
	return t.set.ready()
}

// refuse is [ErrUnauthenticated] with its cause in words fit for the client.
func refuse(reason string) error { return &TokenError{reason} }

// bearer is the token in the value of an Authorization header. Schemes are
// compared without case (RFC 9110, section 11.1).
func bearer(authorization string) (string, error) {
	if authorization == "" {
		return "", refuse("there is no token")
	}
	if len(authorization) > maxTokenBytes {
		return "", refuse("the token is too long")
	}
	scheme, token, found := strings.Cut(authorization, " ")
	token = strings.Trim(token, " ")
	if !found || token == "" || !strings.EqualFold(scheme, "Bearer") {
		return "", refuse(`the authorization is not of the form "Bearer TOKEN"`)
	}
	return token, nil
}

// Authorization is value as an Authorization header has it, for where clients
// send a token with or without its scheme. Tokens hold no spaces.
func Authorization(value string) string {
	if value == "" || strings.Contains(value, " ") {
		return value
	}
	return "Bearer " + value
}

// ParseRole is the role of that name, as tokens spell it.
func ParseRole(name string) (Role, error) {
	switch r := Role(name); r {
	case User, Service, Admin:
		return r, nil
	default:
		return "", errors.New("the role is none of USER, SERVICE and ADMIN")
	}
}
