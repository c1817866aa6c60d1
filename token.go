package main

import (
	"errors"
	"fmt"
	"time"

	"rollcall/internal/auth"
	"rollcall/internal/config"
)

type tokenCommand struct {
	Auth    config.Auth   `embed:""`
	User    string        `required:"" placeholder:"ID" help:"Make a token for this user."`
	Role    auth.Role     `default:"USER" enum:"USER,SERVICE,ADMIN" help:"Give them this role: USER, SERVICE or ADMIN."`
	Expires time.Duration `default:"1h" help:"Let the token expire after this time."`
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

// token is a JWT where there is a secret to sign it, and a dev token otherwise.
func (c tokenCommand) token(now time.Time) (string, error) {
	tokens := c.Auth.Tokens()
	if len(tokens.Secret) != 0 {
		tokens.Mode = auth.JWT
	}
	if tokens.Mode == auth.Dev {
		return auth.DevToken(c.User, c.Role)
	}
	if c.Expires <= 0 {
		return "", errors.New("--expires must be positive")
	}
	if len(tokens.Secret) == 0 {
		return "", errors.New("set ROLLCALL_JWT_SECRET to the server's secret")
	}
	return auth.Mint(tokens, auth.Caller{ID: c.User, Role: c.Role, ExpiresAt: now.Add(c.Expires)})
}
