package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"rollcall/internal/auth"
	"rollcall/internal/config"
)

type tokenCommand struct {
	Auth    config.Auth   `embed:""`
	User    string        `required:"" placeholder:"ID" help:"Make a token for this user."`
	Role    string        `default:"USER" help:"Give them this role: USER, SERVICE or ADMIN."`
	Expires time.Duration `default:"1h" help:"Let a signed token expire after this time (${default}); dev tokens don't."`
}

// Run prints what follows "Bearer " in an Authorization header.
func (c tokenCommand) Run(out output) error {
	token, err := c.token(time.Now())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out.stdout, token)
	return err
}

// token is one that a server with the same ROLLCALL_AUTH takes.
func (c tokenCommand) token(now time.Time) (string, error) {
	role, err := auth.ParseRole(strings.ToUpper(c.Role))
	if err != nil {
		return "", fmt.Errorf("--role=%s: %w", c.Role, err)
	}
	tokens := c.Auth.Tokens()
	if tokens.Mode == auth.Dev {
		return auth.DevToken(c.User, role)
	}
	if c.Expires <= 0 {
		return "", errors.New("--expires must be positive")
	}
	if len(tokens.Secret) == 0 {
		return "", errors.New("set ROLLCALL_JWT_SECRET to the server's secret; where tokens are signed with a private key, their issuer makes them")
	}
	return auth.Mint(tokens, auth.Caller{ID: c.User, Role: role, ExpiresAt: now.Add(c.Expires)})
}
