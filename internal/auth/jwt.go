package auth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"rollcall/internal/presence"
)

// verifier takes tokens signed by HS256 and no other algorithm: what a token
// says of its own algorithm is not to be believed.
type verifier struct {
	parser    *jwt.Parser
	secret    []byte
	roleClaim string
}

var _ Authenticator = (*verifier)(nil)

func newVerifier(cfg Config, now func() time.Time) *verifier {
	return &verifier{
		parser: jwt.NewParser(
			jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}),
			jwt.WithExpirationRequired(),
			jwt.WithLeeway(Leeway),
			jwt.WithStrictDecoding(),
			jwt.WithTimeFunc(now),
		),
		secret:    cfg.Secret,
		roleClaim: cfg.roleClaim(),
	}
}

// Authenticate reads a JWT: `sub` is the user, `exp` is required, `nbf` holds,
// and the role is USER unless the role's claim says otherwise.
func (v *verifier) Authenticate(_ context.Context, authorization string) (Caller, error) {
	token, err := bearer(authorization)
	if err != nil {
		return Caller{}, err
	}
	claims := jwt.MapClaims{}
	if _, err := v.parser.ParseWithClaims(token, claims, v.key); err != nil {
		return Caller{}, refuse(causeOf(err))
	}
	id, err := claims.GetSubject()
	if err != nil {
		return Caller{}, refuse("the token's sub is not a string")
	}
	if err := presence.CheckUserID(id); err != nil {
		return Caller{}, refuse("the token's sub is no user id: " + err.Error())
	}
	role, err := v.role(claims)
	if err != nil {
		return Caller{}, refuse(err.Error())
	}
	expires, err := claims.GetExpirationTime()
	if err != nil || expires == nil {
		return Caller{}, refuse("the token has no valid exp")
	}
	// Without the leeway: that is for clocks that differ, not for longer sockets.
	return Caller{ID: id, Role: role, ExpiresAt: expires.Time}, nil
}

func (v *verifier) key(*jwt.Token) (any, error) { return v.secret, nil }

func (v *verifier) role(claims jwt.MapClaims) (Role, error) {
	value, present := claims[v.roleClaim]
	if !present {
		return User, nil
	}
	name, _ := value.(string)
	return ParseRole(name)
}

// causeOf puts the parser's error into words that hold no part of the token.
func causeOf(err error) string {
	switch {
	case errors.Is(err, jwt.ErrTokenExpired):
		return "the token has expired"
	case errors.Is(err, jwt.ErrTokenNotValidYet):
		return "the token is not valid yet"
	case errors.Is(err, jwt.ErrTokenRequiredClaimMissing):
		return "the token has no exp"
	case errors.Is(err, jwt.ErrTokenSignatureInvalid):
		return "the token's signature or algorithm is not this server's"
	default:
		return "the token is malformed"
	}
}

// Mint signs a JWT for caller, who must have an ExpiresAt, as a server with
// the same configuration takes it.
func Mint(cfg Config, caller Caller) (string, error) {
	if cfg.Mode != JWT {
		return "", fmt.Errorf("tokens are minted for %q only", JWT)
	}
	if err := cfg.Check(); err != nil {
		return "", err
	}
	if err := presence.CheckUserID(caller.ID); err != nil {
		return "", err
	}
	if caller.ExpiresAt.IsZero() {
		return "", errors.New("a token must expire")
	}
	token := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{
		"sub":           caller.ID,
		"iat":           jwt.NewNumericDate(time.Now()),
		"exp":           jwt.NewNumericDate(caller.ExpiresAt),
		cfg.roleClaim(): string(caller.Role),
	})
	signed, err := token.SignedString(cfg.Secret)
	if err != nil {
		return "", fmt.Errorf("sign: %w", err)
	}
	return signed, nil
}
