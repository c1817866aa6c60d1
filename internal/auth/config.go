package auth

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"time"
)

// Mode is how callers are authenticated.
type Mode string

// The modes.
const (
	// Dev believes whoever says they are someone: [DevToken]. For loopback only.
	Dev Mode = "dev"
	// JWT takes tokens that are signed with a secret or a key of whoever issues them.
	JWT Mode = "jwt"
)

const (
	// MinSecretBytes is the least length of a secret: that of the digest, as
	// RFC 7518, section 3.2, asks for.
	MinSecretBytes = 32
	// DefaultRoleClaim is the claim that holds a caller's role.
	DefaultRoleClaim = "role"
	// DefaultIDClaim is the claim that holds a caller's user id.
	DefaultIDClaim = "sub"
	// Leeway is how far apart the clocks of issuer and server may be.
	Leeway = 30 * time.Second
)

// Config says which tokens are good. Those of [JWT] are verified by one of Secret, PublicKeyFile and JWKSURL.
type Config struct {
	Mode Mode
	// Secret is shared with whoever signs the tokens; at least [MinSecretBytes].
	Secret []byte
	// PublicKeyFile is a file of public keys or certificates in PEM: RSA, ECDSA or Ed25519.
	PublicKeyFile string
	// JWKSURL is where the issuer publishes its keys, as a JSON Web Key Set: HTTPS, or this machine.
	JWKSURL string
	// Issuer is what a token's `iss` must be; empty takes any.
	Issuer string
	// Audience is what must be among a token's `aud`; empty takes any.
	Audience string
	// IDClaim names the claim that holds the user id; empty is [DefaultIDClaim].
	IDClaim string
	// RoleClaim names the claim that holds the role; empty is [DefaultRoleClaim].
	RoleClaim string
}

// Check reports what is wrong with the configuration, as far as it can be told without reading files.
func (c Config) Check() error {
	switch c.Mode {
	case Dev:
		return nil
	case JWT:
		return c.checkKeys()
	default:
		return fmt.Errorf("authentication %q is neither %q nor %q", c.Mode, Dev, JWT)
	}
}

func (c Config) checkKeys() error {
	sources := 0
	for _, set := range []bool{len(c.Secret) > 0, c.PublicKeyFile != "", c.JWKSURL != ""} {
		if set {
			sources++
		}
	}
	switch {
	case sources != 1:
		return fmt.Errorf("tokens need one of a secret, a file of public keys and the URL of a key set; %d are given", sources)
	case len(c.Secret) > 0 && len(c.Secret) < MinSecretBytes:
		return fmt.Errorf("the secret for tokens has %d bytes; it needs at least %d", len(c.Secret), MinSecretBytes)
	case c.JWKSURL != "":
		return checkURL(c.JWKSURL)
	}
	return nil
}

// checkURL reports a URL that is not safe to have keys from. The error doesn't repeat it.
func checkURL(raw string) error {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return errors.New("the key set's URL is malformed")
	}
	local := u.Hostname() == "localhost"
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil {
		local = ip.IsLoopback()
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !local) {
		return errors.New("the key set's URL must be https://…: whoever can change the answer can sign any token")
	}
	return nil
}
