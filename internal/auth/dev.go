package auth

import (
	"context"
	"fmt"
	"strings"

	"rollcall/internal/presence"
)

// The parts of a dev token.
const (
	devPrefix     = "dev:"
	adminSuffix   = ":admin"
	serviceSuffix = ":service"
)

// devTokens believes dev tokens.
type devTokens struct{}

var _ Authenticator = devTokens{}

// Authenticate reads dev:USERID, dev:USERID:admin or dev:USERID:service. User
// ids may hold colons, so only those two endings are roles.
func (devTokens) Authenticate(_ context.Context, authorization string) (Caller, error) {
	token, err := bearer(authorization)
	if err != nil {
		return Caller{}, err
	}
	id, ok := strings.CutPrefix(token, devPrefix)
	if !ok {
		return Caller{}, refuse("this server takes dev tokens, dev:USERID")
	}
	role := User
	if user, found := strings.CutSuffix(id, adminSuffix); found {
		id, role = user, Admin
	} else if user, found := strings.CutSuffix(id, serviceSuffix); found {
		id, role = user, Service
	}
	if err := presence.CheckUserID(id); err != nil {
		return Caller{}, refuse(err.Error())
	}
	return Caller{ID: id, Role: role}, nil
}

// DevToken is the token by which a server in [Dev] mode takes someone for that
// user. An id that ends like a role can't be told from one and is an error.
func DevToken(userID string, role Role) (string, error) {
	if err := presence.CheckUserID(userID); err != nil {
		return "", err
	}
	switch role {
	case Admin:
		return devPrefix + userID + adminSuffix, nil
	case Service:
		return devPrefix + userID + serviceSuffix, nil
	default:
		if strings.HasSuffix(userID, adminSuffix) || strings.HasSuffix(userID, serviceSuffix) {
			return "", fmt.Errorf("user %q ends like a role, so no dev token can name them as a USER", userID)
		}
		return devPrefix + userID, nil
	}
}
