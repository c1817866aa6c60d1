// Package config is what an operator can set, by flag or by environment
// variable of the same name: --http-addr is ROLLCALL_HTTP_ADDR.
package config

import (
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"rollcall/internal/auth"
	"rollcall/internal/presence"
)

// Config is the configuration of a server. The tags are kong's; commands that
// need less embed only the parts they use.
type Config struct {
	HTTP   HTTP   `embed:"" group:"Serving"`
	Store  Store  `embed:"" group:"Presence"`
	Users  Users  `embed:"" group:"User details"`
	Auth   Auth   `embed:"" group:"Callers"`
	Limits Limits `embed:"" group:"Limits"`
	Log    Log    `embed:"" group:"Logging"`
}

// HTTP is where the server listens, and how it answers.
type HTTP struct {
	Addr           string        `name:"http-addr" env:"ROLLCALL_HTTP_ADDR" default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Listen here; port 0 takes a free one (${default})."`
	AllowedOrigins []string      `name:"allowed-origins" env:"ROLLCALL_ALLOWED_ORIGINS" placeholder:"ORIGIN,…" help:"Let pages of these sites use the API from browsers, such as https://app.example.com; the server's own always may."`
	TrustedProxies []string      `name:"trusted-proxies" env:"ROLLCALL_TRUSTED_PROXIES" placeholder:"NETWORK,…" help:"Believe these proxies, such as 10.0.0.0/8, about whom they ask for (X-Forwarded-For or Forwarded)."`
	TLSCertFile    string        `name:"tls-cert-file" env:"ROLLCALL_TLS_CERT_FILE" placeholder:"FILE" help:"Serve HTTPS with this certificate and its chain, in PEM; a change is followed."`
	TLSKeyFile     string        `name:"tls-key-file" env:"ROLLCALL_TLS_KEY_FILE" placeholder:"FILE" help:"The certificate's private key, in PEM."`
	ShareFor       time.Duration `name:"share-for" env:"ROLLCALL_SHARE_FOR" default:"100ms" help:"Answer identical queries of the list together, which takes a query this much longer at most; 0 shares nothing (${default})."`
	// AvatarOrigins are of the directory's pictures: see [HTTP.check] for their form.
	AvatarOrigins []string `name:"avatar-origins" env:"ROLLCALL_AVATAR_ORIGINS" placeholder:"ORIGIN,…" help:"Show users' pictures from these origins, such as https://cdn.example, in the admin console. Without, it shows only the server's own, and initials."`
}

// Store is where presence is kept, and by which rules. All nodes of one prefix
// must agree in everything here.
type Store struct {
	Redis         `embed:""`
	Shards        int           `name:"shards" env:"ROLLCALL_SHARDS" default:"16" help:"Divide users into this many shards, a power of two up to 256."`
	LevelIndex    bool          `name:"level-index" env:"ROLLCALL_LEVEL_INDEX" default:"true" negatable:"" help:"Keep the list by level as well; without, it takes less memory and refuses LEVEL orders (${default})."`
	EventLog      int           `name:"event-log" env:"ROLLCALL_EVENT_LOG" default:"10000" help:"Keep about this many events a shard for subscribers who resume."`
	TTL           time.Duration `name:"ttl" env:"ROLLCALL_TTL" default:"60s" help:"A heartbeat keeps its user online for this long."`
	BackgroundTTL time.Duration `name:"background-ttl" env:"ROLLCALL_BACKGROUND_TTL" default:"150s" help:"The same for heartbeats from the background."`
	AwayAfter     time.Duration `name:"away-after" env:"ROLLCALL_AWAY_AFTER" default:"5m" help:"A user without activity for this long is AWAY."`
}

// Redis is where presence is kept, if not in memory.
type Redis struct {
	RedisURL  string `name:"redis-url" env:"ROLLCALL_REDIS_URL" placeholder:"URL" help:"Keep presence in this Redis: redis://, rediss:// (TLS), redis+sentinel://A,B/NAME, redis+cluster://A,B,C or redis+ring://A,B. Without, it is kept in memory and ends with the process."`
	KeyPrefix string `name:"key-prefix" env:"ROLLCALL_KEY_PREFIX" default:"rollcall" help:"Begin all keys in Redis with this."`
}

// Users is where the details of users come from.
type Users struct {
	DatabaseURL string `name:"database-url" env:"ROLLCALL_DATABASE_URL" default:"sqlite:data/rollcall.db" placeholder:"URL" help:"Read user details from this database: sqlite:PATH or postgres:// (${default})."`
	Query       string `name:"users-query" env:"ROLLCALL_USERS_QUERY" placeholder:"SQL" help:"Read them from an existing table by this query, whose columns are id, name, avatar_url and level."`
}

// Auth is whom the server believes.
type Auth struct {
	Mode             auth.Mode `name:"auth" env:"ROLLCALL_AUTH" default:"dev" enum:"dev,jwt" help:"Take dev tokens, on loopback only, or JSON Web Tokens: dev or jwt."`
	JWTSecret        string    `name:"jwt-secret" env:"ROLLCALL_JWT_SECRET" placeholder:"SECRET" help:"The secret of HS256 tokens, at least 32 bytes. Better set by the environment: flags are seen by every process."`
	JWTPublicKeyFile string    `name:"jwt-public-key-file" env:"ROLLCALL_JWT_PUBLIC_KEY_FILE" placeholder:"FILE" help:"The public keys of tokens, in PEM: RSA, ECDSA or Ed25519."`
	JWKSURL          string    `name:"jwks-url" env:"ROLLCALL_JWKS_URL" placeholder:"URL" help:"Where the issuer of tokens publishes its public keys."`
	Issuer           string    `name:"jwt-issuer" env:"ROLLCALL_JWT_ISSUER" placeholder:"ISSUER" help:"Take tokens of this issuer alone (iss)."`
	Audience         string    `name:"jwt-audience" env:"ROLLCALL_JWT_AUDIENCE" placeholder:"AUDIENCE" help:"Take tokens for this audience alone (aud)."`
	IDClaim          string    `name:"id-claim" env:"ROLLCALL_ID_CLAIM" default:"sub" help:"The claim that holds the user's id."`
	RoleClaim        string    `name:"role-claim" env:"ROLLCALL_ROLE_CLAIM" default:"role" help:"The claim that holds USER, SERVICE or ADMIN."`
}

// Log is how much the server tells.
type Log struct {
	Level slog.Level `name:"log-level" env:"ROLLCALL_LOG_LEVEL" default:"info" placeholder:"LEVEL" help:"Log from this level on: debug, info, warn or error (${default})."`
}

// TLS says whether HTTPS is served.
func (h HTTP) TLS() bool { return h.TLSCertFile != "" }

// Rules are the rules of presence.
func (s Store) Rules() presence.Rules {
	return presence.Rules{TTL: s.TTL, BackgroundTTL: s.BackgroundTTL, AwayAfter: s.AwayAfter}
}

// EmbeddedPath is the path of the SQLite database that is Rollcall's own; false
// if the database is another, or someone else's.
func (u Users) EmbeddedPath() (string, bool) {
	path, sqlite := strings.CutPrefix(u.DatabaseURL, "sqlite:")
	return path, sqlite && u.Query == ""
}

// Tokens is the configuration of the authenticator.
func (a Auth) Tokens() auth.Config {
	return auth.Config{
		Mode: a.Mode, Secret: []byte(a.JWTSecret), PublicKeyFile: a.JWTPublicKeyFile, JWKSURL: a.JWKSURL,
		Issuer: a.Issuer, Audience: a.Audience, IDClaim: a.IDClaim, RoleClaim: a.RoleClaim,
	}
}

// Default is the configuration of a process with no flags and no variables.
func Default() (Config, error) {
	var cfg Config
	if err := kong.ApplyDefaults(&cfg, kong.PostBuild(withoutEnvironment)); err != nil {
		return Config{}, errors.Join(errors.New("the defaults are wrong"), err)
	}
	return cfg, nil
}

func withoutEnvironment(k *kong.Kong) error {
	for _, flag := range k.Model.Flags {
		flag.Envs, flag.Tag.Envs = nil, nil
	}
	return nil
}
