package config

import (
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"rollcall/internal/auth"
)

func with(t *testing.T, change func(*Config)) Config {
	t.Helper()
	cfg, err := Default()
	require.NoError(t, err)
	change(&cfg)
	return cfg
}

func TestCheckAccepts(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"the defaults":        func(*Config) {},
		"any free port":       func(c *Config) { c.HTTP.Addr = "127.0.0.1:0" },
		"all of 127/8":        func(c *Config) { c.HTTP.Addr = "127.9.9.9:80" },
		"IPv6 loopback":       func(c *Config) { c.HTTP.Addr = "[::1]:8080" },
		"mapped loopback":     func(c *Config) { c.HTTP.Addr = "[::ffff:127.0.0.1]:8080" },
		"localhost":           func(c *Config) { c.HTTP.Addr = "localhost:8080" },
		"Redis":               func(c *Config) { c.Store.RedisURL = "redis://user:secret@host:6379/3" },
		"Redis with TLS":      func(c *Config) { c.Store.RedisURL = "rediss://host" },
		"one shard":           func(c *Config) { c.Store.Shards = 1 },
		"Postgres":            func(c *Config) { c.Users.DatabaseURL = "postgres://host/users" },
		"JWT on any address":  func(c *Config) { c.HTTP.Addr, c.Auth = ":8080", jwt(32) },
		"origins":             func(c *Config) { c.HTTP.AllowedOrigins = []string{"https://app.example.com", "http://localhost:5173"} },
		"proxies":             func(c *Config) { c.HTTP.TrustedProxies = []string{"10.0.0.0/8", "192.0.2.1"} },
		"TLS":                 func(c *Config) { c.HTTP.TLSCertFile, c.HTTP.TLSKeyFile = "cert.pem", "key.pem" },
		"a key file":          func(c *Config) { c.Auth = jwt(0); c.Auth.JWTPublicKeyFile = "key.pem" },
		"a key set":           func(c *Config) { c.Auth = jwt(0); c.Auth.JWKSURL = "https://id.example.com/keys" },
		"a key set next door": func(c *Config) { c.Auth = jwt(0); c.Auth.JWKSURL = "http://127.0.0.1:9000/keys" },
		"a prefix with parts": func(c *Config) { c.Store.KeyPrefix = "eu-1.presence_v2" },
		"origins of pictures": func(c *Config) {
			c.HTTP.AvatarOrigins = []string{"https://cdn.example", "http://10.0.0.7:9000", "https://img-2.cdn.example:8443"}
		},
	} {
		t.Run(name, func(t *testing.T) { require.NoError(t, with(t, change).Check()) })
	}
}

func TestCheckRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Config)
		names  string // what the message must name
	}{
		"early beats below none":       {func(c *Config) { c.Limits.EarlyBeats = -1 }, "ROLLCALL_EARLY_BEATS"},
		"sockets below none":           {func(c *Config) { c.Limits.Sockets = -1 }, "ROLLCALL_SOCKETS"},
		"a user's sockets below none":  {func(c *Config) { c.Limits.UserSockets = -1 }, "ROLLCALL_USER_SOCKETS"},
		"no subscriptions":             {func(c *Config) { c.Limits.Subscriptions = 0 }, "ROLLCALL_SUBSCRIPTIONS"},
		"no port":                      {func(c *Config) { c.HTTP.Addr = "localhost" }, "ROLLCALL_HTTP_ADDR"},
		"a port too high":              {func(c *Config) { c.HTTP.Addr = "127.0.0.1:65536" }, "ROLLCALL_HTTP_ADDR"},
		"a port by name":               {func(c *Config) { c.HTTP.Addr = "127.0.0.1:http" }, "ROLLCALL_HTTP_ADDR"},
		"every origin":                 {func(c *Config) { c.HTTP.AllowedOrigins = []string{"*"} }, "ROLLCALL_ALLOWED_ORIGINS"},
		"an origin with a path":        {func(c *Config) { c.HTTP.AllowedOrigins = []string{"https://app.example.com/"} }, "ROLLCALL_ALLOWED_ORIGINS"},
		"a proxy by name":              {func(c *Config) { c.HTTP.TrustedProxies = []string{"proxy"} }, "ROLLCALL_TRUSTED_PROXIES"},
		"a certificate without a key":  {func(c *Config) { c.HTTP.TLSCertFile = "cert.pem" }, "ROLLCALL_TLS_KEY_FILE"},
		"a key without a certificate":  {func(c *Config) { c.HTTP.TLSKeyFile = "key.pem" }, "ROLLCALL_TLS_CERT_FILE"},
		"dev on all addresses":         {func(c *Config) { c.HTTP.Addr = ":8080" }, "ROLLCALL_AUTH"},
		"dev on 0.0.0.0":               {func(c *Config) { c.HTTP.Addr = "0.0.0.0:8080" }, "ROLLCALL_AUTH"},
		"dev on ::":                    {func(c *Config) { c.HTTP.Addr = "[::]:8080" }, "ROLLCALL_AUTH"},
		"dev on a public address":      {func(c *Config) { c.HTTP.Addr = "192.0.2.1:8080" }, "ROLLCALL_AUTH"},
		"dev on a name":                {func(c *Config) { c.HTTP.Addr = "localhost.example.com:8080" }, "ROLLCALL_AUTH"},
		"JWT without a secret":         {func(c *Config) { c.Auth = jwt(0) }, "ROLLCALL_JWT_SECRET"},
		"JWT with a short secret":      {func(c *Config) { c.Auth = jwt(31) }, "ROLLCALL_JWT_SECRET"},
		"a secret in dev mode":         {func(c *Config) { c.Auth.JWTSecret = strings.Repeat("s", 32) }, "ROLLCALL_AUTH=jwt"},
		"a secret in dev, anywhere":    {func(c *Config) { c.HTTP.Addr, c.Auth.JWTSecret = ":8080", "s" }, "ROLLCALL_JWT_SECRET"},
		"no mode":                      {func(c *Config) { c.Auth.Mode = "" }, "ROLLCALL_AUTH"},
		"a key file in dev mode":       {func(c *Config) { c.Auth.JWTPublicKeyFile = "key.pem" }, "ROLLCALL_JWT_PUBLIC_KEY_FILE"},
		"a key set in dev mode":        {func(c *Config) { c.Auth.JWKSURL = "https://id.example.com/keys" }, "ROLLCALL_JWKS_URL"},
		"an issuer in dev mode":        {func(c *Config) { c.Auth.Issuer = "us" }, "ROLLCALL_JWT_ISSUER"},
		"an audience in dev mode":      {func(c *Config) { c.Auth.Audience = "us" }, "ROLLCALL_JWT_AUDIENCE"},
		"a secret and a key set":       {func(c *Config) { c.Auth = jwt(32); c.Auth.JWKSURL = "https://id.example.com/keys" }, "ROLLCALL_JWT_SECRET and ROLLCALL_JWKS_URL"},
		"a key set over plain HTTP":    {func(c *Config) { c.Auth = jwt(0); c.Auth.JWKSURL = "http://u:secret@id.example.com/keys" }, "ROLLCALL_JWKS_URL"},
		"no claim for the id":          {func(c *Config) { c.Auth = jwt(32); c.Auth.IDClaim = "" }, "ROLLCALL_ID_CLAIM"},
		"one claim for both":           {func(c *Config) { c.Auth = jwt(32); c.Auth.RoleClaim = "sub" }, "ROLLCALL_ROLE_CLAIM"},
		"Sentinel without a name":      {func(c *Config) { c.Store.RedisURL = "redis+sentinel://a,b" }, "ROLLCALL_REDIS_URL"},
		"another scheme":               {func(c *Config) { c.Store.RedisURL = "http://host" }, "ROLLCALL_REDIS_URL"},
		"no scheme":                    {func(c *Config) { c.Store.RedisURL = "host:6379" }, "ROLLCALL_REDIS_URL"},
		"no host":                      {func(c *Config) { c.Store.RedisURL = "redis://" }, "ROLLCALL_REDIS_URL"},
		"no URL":                       {func(c *Config) { c.Store.RedisURL = "redis://user:secret@host:port" }, "ROLLCALL_REDIS_URL"},
		"no prefix":                    {func(c *Config) { c.Store.KeyPrefix = "" }, "ROLLCALL_KEY_PREFIX"},
		"a prefix with a hash tag":     {func(c *Config) { c.Store.KeyPrefix = "a{b}" }, "ROLLCALL_KEY_PREFIX"},
		"a prefix with a space":        {func(c *Config) { c.Store.KeyPrefix = "a b" }, "ROLLCALL_KEY_PREFIX"},
		"a long prefix":                {func(c *Config) { c.Store.KeyPrefix = strings.Repeat("a", 65) }, "ROLLCALL_KEY_PREFIX"},
		"no shards":                    {func(c *Config) { c.Store.Shards = 0 }, "ROLLCALL_SHARDS"},
		"shards no power of two":       {func(c *Config) { c.Store.Shards = 12 }, "ROLLCALL_SHARDS"},
		"too many shards":              {func(c *Config) { c.Store.Shards = 512 }, "ROLLCALL_SHARDS"},
		"no event log":                 {func(c *Config) { c.Store.EventLog = 0 }, "ROLLCALL_EVENT_LOG"},
		"no TTL":                       {func(c *Config) { c.Store.TTL = 0 }, "TTL"},
		"a negative TTL":               {func(c *Config) { c.Store.TTL = -1 }, "TTL"},
		"background shorter than TTL":  {func(c *Config) { c.Store.BackgroundTTL = c.Store.TTL - 1 }, "BACKGROUND_TTL"},
		"no away":                      {func(c *Config) { c.Store.AwayAfter = 0 }, "AWAY_AFTER"},
		"no database":                  {func(c *Config) { c.Users.DatabaseURL = "" }, "ROLLCALL_DATABASE_URL"},
		"a database without a path":    {func(c *Config) { c.Users.DatabaseURL = "sqlite:" }, "ROLLCALL_DATABASE_URL"},
		"a database of another scheme": {func(c *Config) { c.Users.DatabaseURL = "mysql://host/users" }, "ROLLCALL_DATABASE_URL"},
	} {
		t.Run(name, func(t *testing.T) {
			err := with(t, test.change).Check()
			require.ErrorContains(t, err, test.names)
			require.NotContains(t, err.Error(), "secret@")
		})
	}
}

func jwt(secretBytes int) Auth {
	return Auth{Mode: auth.JWT, JWTSecret: strings.Repeat("s", secretBytes), IDClaim: "sub", RoleClaim: "role"}
}

func TestUnknown(t *testing.T) {
	require.Equal(t, []string{
		"ROLLCALL_AUHT is not known; did you mean ROLLCALL_AUTH?",
		"ROLLCALL_DB is not known",
		"ROLLCALL_DB_URL is not known",
		"ROLLCALL_NOTHING_LIKE_ANY is not known",
		"ROLLCALL_PORT is not known",
		"ROLLCALL_REDIS_URI is not known; did you mean ROLLCALL_REDIS_URL?",
		"ROLLCALL_SHARD is not known; did you mean ROLLCALL_SHARDS?",
	}, Unknown([]string{
		"PATH=/bin", "ROLLCALL_TTL=2s", "ROLLCALL_SHARD=4", "ROLLCALL_REDIS_URI=redis://user:secret@host",
		"ROLLCALL_NOTHING_LIKE_ANY=1", "rollcall_ttl=1s",
		// Short names: few letters away from others, and nothing like them.
		"ROLLCALL_DB=x", "ROLLCALL_PORT=80", "ROLLCALL_DB_URL=x", "ROLLCALL_AUHT=jwt",
	}))
	require.Empty(t, Unknown(nil))
}

func TestCheckListener(t *testing.T) {
	dev, signed := Config{Auth: Auth{Mode: auth.Dev}}, Config{Auth: Auth{Mode: auth.JWT}}
	for ip, loopback := range map[string]bool{"127.0.0.1": true, "127.3.2.1": true, "::1": true, "0.0.0.0": false, "::": false, "192.0.2.1": false} {
		addr := &net.TCPAddr{IP: net.ParseIP(ip), Port: 1}
		require.NoError(t, signed.CheckListener(addr))
		if loopback {
			require.NoError(t, dev.CheckListener(addr))
		} else {
			require.ErrorContains(t, dev.CheckListener(addr), "ROLLCALL_AUTH")
		}
	}
}

func TestCheckRefusesWhatIsNoOrigin(t *testing.T) {
	for _, origin := range []string{
		"", "cdn.example", "//cdn.example", "https://", "https:///", "ftp://cdn.example", "https://cdn.example/", "https://cdn.example/a",
		"https://CDN.example", "HTTPS://cdn.example", "https://cdn.example:443", "http://cdn.example:80", "https://cdn.example:",
		"https://*.example", "https://me@cdn.example", "https://cdn.example?a", " https://cdn.example", "https://a.example https://b.example",
		"https://cdn.example; script-src *", "https://cdn.example\n", "'unsafe-inline'", "*", "data:", "https:",
	} {
		t.Run(origin, func(t *testing.T) {
			err := with(t, func(c *Config) { c.HTTP.AvatarOrigins = []string{"https://cdn.example", origin} }).Check()
			require.ErrorContains(t, err, "ROLLCALL_AVATAR_ORIGINS")
			require.ErrorContains(t, err, "such as https://app.example.com")
		})
	}
}
