package auth

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Mode is how callers are authenticated.
type Mode string

// The modes.
const (
	// Dev believes whoever says they are someone: [DevToken]. For loopback only.
	Dev Mode = "dev"
	// JWT takes tokens signed with a secret shared with whoever issues them.
	JWT Mode = "jwt"
)

const (
	// MinSecretBytes is the least length of a secret: that of the digest, as
	// RFC 7518, section 3.2, asks for.
	MinSecretBytes = 32
	// DefaultRoleClaim is the claim that holds a caller's role.
	DefaultRoleClaim = "role"
	// Leeway is how far apart the clocks of issuer and server may be.
	Leeway = 30 * time.Second

	// maxTokenBytes is far beyond any real token, and small enough that hostile
	// ones cost next to nothing.
	maxTokenBytes = 8 << 10
)

// Config says which tokens are good.
type Config struct {
	Mode Mode
	// Secret signs the tokens of [JWT]; at least [MinSecretBytes].
	Secret []byte
	// RoleClaim names the claim that holds the role; empty is [DefaultRoleClaim].
	RoleClaim string
}

// Check reports what is wrong with the configuration.
func (c Config) Check() error {
	switch c.Mode {
	case Dev:
		return nil
	case JWT:
		if len(c.Secret) < MinSecretBytes {
			return fmt.Errorf("the secret for tokens has %d bytes; it needs at least %d", len(c.Secret), MinSecretBytes)
		}
		return nil
	default:
		return fmt.Errorf("authentication %q is neither %q nor %q", c.Mode, Dev, JWT)
	}
}

func (c Config) roleClaim() string {
	if c.RoleClaim == "" {
		return DefaultRoleClaim
	}
	return c.RoleClaim
}

// New is the authenticator that cfg asks for.
func New(cfg Config) (Authenticator, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	if cfg.Mode == Dev {
		return devTokens{}, nil
	}
	return newVerifier(cfg, time.Now), nil
}

// refuse is [ErrUnauthenticated] with its cause in words fit for the client.
func refuse(reason string) error { return &Refusal{reason} }

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
