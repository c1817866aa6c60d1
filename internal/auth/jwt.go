package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"rollcall/internal/presence"
)

// verifier takes tokens that are signed by one of its keys.
type verifier struct {
	parser             *jwt.Parser
	keys               keys
	idClaim, roleClaim string
}

var _ Authenticator = (*verifier)(nil)

func newVerifier(cfg Config, keys keys, now func() time.Time) *verifier {
	options := []jwt.ParserOption{
		jwt.WithExpirationRequired(),
		jwt.WithLeeway(Leeway),
		jwt.WithStrictDecoding(),
		jwt.WithTimeFunc(now),
	}
	if cfg.Issuer != "" {
		options = append(options, jwt.WithIssuer(cfg.Issuer))
	}
	if cfg.Audience != "" {
		options = append(options, jwt.WithAudience(cfg.Audience))
	}
	return &verifier{
		parser: jwt.NewParser(options...), keys: keys,
		idClaim: cmp.Or(cfg.IDClaim, DefaultIDClaim), roleClaim: cmp.Or(cfg.RoleClaim, DefaultRoleClaim),
	}
}

// Authenticate reads a JWT: `exp` is required, `nbf`, issuer and audience hold, the id's claim is the user, and the role
// is USER unless the role's claim says otherwise.
func (v *verifier) Authenticate(ctx context.Context, authorization string) (Caller, error) {
	token, err := bearer(authorization)
	if err != nil {
		return Caller{}, err
	}
	claims := jwt.MapClaims{}
	find := func(token *jwt.Token) (any, error) { return v.find(ctx, token) }
	if _, err := v.parser.ParseWithClaims(token, claims, find); err != nil {
		return Caller{}, causeOf(err)
	}
	id, ok := claims[v.idClaim].(string)
	if !ok {
		return Caller{}, refuse("the token's user id is not a string")
	}
	if err := presence.CheckUserID(id); err != nil {
		return Caller{}, refuse("the token names no user: " + err.Error())
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

// find is a [jwt.Keyfunc]: the keys that suit a token's header, each by the algorithms of its own kind.
func (v *verifier) find(ctx context.Context, token *jwt.Token) (any, error) {
	// What a critical header asks for, none of which is known here, would go unheeded (RFC 7515, section 4.1.11).
	if _, critical := token.Header["crit"]; critical {
		return nil, refuse("the token has a critical header that is not known")
	}
	id := ""
	if named, found := token.Header["kid"]; found {
		if id, found = named.(string); !found {
			return nil, refuse("the token is malformed")
		}
	}
	found, err := v.keys.find(ctx, token.Method.Alg(), id)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, errNotOurs
	}
	var set jwt.VerificationKeySet
	for _, k := range found {
		set.Keys = append(set.Keys, k.material)
	}
	return set, nil
}

func (v *verifier) role(claims jwt.MapClaims) (Role, error) {
	value, present := claims[v.roleClaim]
	if !present {
		return User, nil
	}
	name, _ := value.(string)
	return ParseRole(name)
}

// errNotOurs is told of a wrong signature, an unknown key and an algorithm that is not allowed alike.
var errNotOurs = refuse("the token's key, signature or algorithm is not this server's")

// causeOf puts the parser's error into words that hold no part of the token.
func causeOf(err error) error {
	if refused, ok := errors.AsType[*TokenError](err); ok {
		return refused
	}
	if errors.Is(err, ErrUnavailable) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	switch {
	case errors.Is(err, jwt.ErrTokenExpired):
		return refuse("the token has expired")
	case errors.Is(err, jwt.ErrTokenNotValidYet):
		return refuse("the token is not valid yet")
	case errors.Is(err, jwt.ErrTokenInvalidIssuer):
		return refuse("the token's issuer is another")
	case errors.Is(err, jwt.ErrTokenInvalidAudience):
		return refuse("the token is for another audience")
	case errors.Is(err, jwt.ErrTokenRequiredClaimMissing):
		return refuse("the token lacks exp, or another claim that is required")
	case errors.Is(err, jwt.ErrTokenSignatureInvalid):
		return errNotOurs
	default:
		return refuse("the token is malformed")
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
	if len(cfg.Secret) == 0 {
		return "", errors.New("tokens can be minted with a secret only: of public keys, the issuer has the private ones")
	}
	if err := presence.CheckUserID(caller.ID); err != nil {
		return "", err
	}
	if caller.ExpiresAt.IsZero() {
		return "", errors.New("a token must expire")
	}
	claims := jwt.MapClaims{
		"iat":                                   jwt.NewNumericDate(time.Now()),
		"exp":                                   jwt.NewNumericDate(caller.ExpiresAt),
		cmp.Or(cfg.IDClaim, DefaultIDClaim):     caller.ID,
		cmp.Or(cfg.RoleClaim, DefaultRoleClaim): string(caller.Role),
	}
	if cfg.Issuer != "" {
		claims["iss"] = cfg.Issuer
	}
	if cfg.Audience != "" {
		claims["aud"] = cfg.Audience
	}
	token := jwt.NewWithClaims(jwt.SigningMethodHS256, claims)
	signed, err := token.SignedString(cfg.Secret)
	if err != nil {
		return "", fmt.Errorf("sign: %w", err)
	}
	return signed, nil
}
