package config

import (
	"errors"
	"fmt"
	"strings"

	"rollcall/internal/auth"
)

func (c Config) checkAuth() error {
	if c.Auth.Mode == auth.Dev {
		return c.checkDev()
	}
	set := c.Auth.keySources()
	switch {
	case c.Auth.Mode == auth.JWT && len(set) == 0:
		return errors.New("ROLLCALL_AUTH=jwt needs the key of tokens: ROLLCALL_JWT_SECRET, ROLLCALL_JWT_PUBLIC_KEY_FILE or ROLLCALL_JWKS_URL")
	case len(set) > 1:
		return fmt.Errorf("%s are set; tokens are verified by one of them", strings.Join(set, " and "))
	case c.Auth.IDClaim == "" || c.Auth.RoleClaim == "":
		return errors.New("ROLLCALL_ID_CLAIM and ROLLCALL_ROLE_CLAIM must name a claim")
	case c.Auth.IDClaim == c.Auth.RoleClaim:
		return fmt.Errorf("ROLLCALL_ID_CLAIM and ROLLCALL_ROLE_CLAIM are both %q", c.Auth.IDClaim)
	}
	if err := c.Auth.Tokens().Check(); err != nil {
		return fmt.Errorf("%s: %w", append(set, "ROLLCALL_AUTH")[0], err)
	}
	return nil
}

// checkDev refuses what only signed tokens have, since whoever has set it believes to be safe.
func (c Config) checkDev() error {
	unused := c.Auth.keySources()
	if c.Auth.Issuer != "" {
		unused = append(unused, "ROLLCALL_JWT_ISSUER")
	}
	if c.Auth.Audience != "" {
		unused = append(unused, "ROLLCALL_JWT_AUDIENCE")
	}
	if len(unused) > 0 {
		return fmt.Errorf("%s is set but not used, since ROLLCALL_AUTH is dev: set ROLLCALL_AUTH=jwt, or unset it", unused[0])
	}
	if !c.HTTP.loopback() {
		return fmt.Errorf("ROLLCALL_AUTH=dev lets everybody be anybody, so it must listen on loopback, not on %q; "+
			"set ROLLCALL_AUTH=jwt, or ROLLCALL_HTTP_ADDR to 127.0.0.1:PORT", c.HTTP.Addr)
	}
	return nil
}

// keySources are the variables that say where the keys of tokens are and are set.
func (a Auth) keySources() []string {
	var set []string
	for _, source := range []struct{ variable, value string }{
		{"ROLLCALL_JWT_SECRET", a.JWTSecret},
		{"ROLLCALL_JWT_PUBLIC_KEY_FILE", a.JWTPublicKeyFile},
		{"ROLLCALL_JWKS_URL", a.JWKSURL},
	} {
		if source.value != "" {
			set = append(set, source.variable)
		}
	}
	return set
}
