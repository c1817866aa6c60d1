package config

import "rollcall/internal/auth"

// Limits is how much callers may ask for, and what.
type Limits struct {
	Introspection *bool  `name:"introspection" env:"ROLLCALL_INTROSPECTION" negatable:"" help:"Let callers ask for the schema, which GraphiQL does. Without this setting they may if ROLLCALL_AUTH is dev."`
	PersistedOnly string `name:"persisted-only" env:"ROLLCALL_PERSISTED_ONLY" placeholder:"FILE" help:"Execute no documents but those of this manifest: Apollo's format, or one JSON object of hashes and documents."`
}

func (Limits) check() error { return nil }

// Introspection says whether callers may ask for the schema.
func (c Config) Introspection() bool {
	if c.Limits.Introspection != nil {
		return *c.Limits.Introspection
	}
	return c.Auth.Mode == auth.Dev
}

// Suggestions says whether errors name what in the schema was perhaps meant.
func (c Config) Suggestions() bool { return c.Auth.Mode == auth.Dev }
