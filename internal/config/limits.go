package config

import (
	"fmt"
	"math"

	"rollcall/internal/auth"
	"rollcall/internal/rate"
)

// Limits is how much callers may ask for, and what.
type Limits struct {
	Introspection *bool  `name:"introspection" env:"ROLLCALL_INTROSPECTION" negatable:"" help:"Let callers ask for the schema, which GraphiQL does. Without this setting they may if ROLLCALL_AUTH is dev."`
	PersistedOnly string `name:"persisted-only" env:"ROLLCALL_PERSISTED_ONLY" placeholder:"FILE" help:"Execute no documents but those of this manifest: Apollo's format, or one JSON object of hashes and documents."`

	Rates          *bool      `name:"rates" env:"ROLLCALL_RATES" negatable:"" help:"Limit what callers may ask for in a time, as the settings below say. Without this setting that is so unless ROLLCALL_AUTH is dev, where anybody is whom they like."`
	EarlyBeats     int        `name:"early-beats" env:"ROLLCALL_EARLY_BEATS" default:"8" help:"Let this many heartbeats in a row of a session that come much too soon through to the store, and answer further ones from memory (${default})."`
	UserBeats      rate.Limit `name:"user-beats" env:"ROLLCALL_USER_BEATS" default:"1000/10s" placeholder:"N/TIME" help:"Heartbeats of a user: N at once, and as many in each TIME after that; 0 is no limit (${default})."`
	AddressBeats   rate.Limit `name:"address-beats" env:"ROLLCALL_ADDRESS_BEATS" default:"100000/10s" placeholder:"N/TIME" help:"The same of a client's address (${default})."`
	UserSignIns    rate.Limit `name:"user-sign-ins" env:"ROLLCALL_USER_SIGN_INS" default:"300/5m" placeholder:"N/TIME" help:"Sign-ins of a user, on all nodes together (${default})."`
	AddressSignIns rate.Limit `name:"address-sign-ins" env:"ROLLCALL_ADDRESS_SIGN_INS" default:"30000/1m" placeholder:"N/TIME" help:"Sign-ins from an address (${default})."`
	UserCost       rate.Limit `name:"user-cost" env:"ROLLCALL_USER_COST" default:"2000000/10s" placeholder:"N/TIME" help:"What the operations of a user may cost; a page of 500 users costs up to 9,000 (${default})."`
	AddressCost    rate.Limit `name:"address-cost" env:"ROLLCALL_ADDRESS_COST" default:"20000000/10s" placeholder:"N/TIME" help:"What those from an address may cost (${default})."`

	Sockets       int  `name:"sockets" env:"ROLLCALL_SOCKETS" default:"100000" help:"WebSockets of a node; 0 is no limit (${default})."`
	UserSockets   int  `name:"user-sockets" env:"ROLLCALL_USER_SOCKETS" default:"2000" help:"WebSockets of a user on a node; 0 is no limit (${default})."`
	Subscriptions int  `name:"subscriptions" env:"ROLLCALL_SUBSCRIPTIONS" default:"100" help:"Subscriptions, and other operations at a time, of a WebSocket (${default})."`
	Shed          bool `name:"shed" env:"ROLLCALL_SHED" default:"true" negatable:"" help:"Refuse requests while the node is overloaded, queries before heartbeats (${default})."`
}

func (l Limits) check() error {
	for name, n := range map[string]int{
		"ROLLCALL_EARLY_BEATS": l.EarlyBeats, "ROLLCALL_SOCKETS": l.Sockets, "ROLLCALL_USER_SOCKETS": l.UserSockets,
	} {
		if n < 0 {
			return fmt.Errorf("%s is %d; it must not be negative", name, n)
		}
	}
	if l.Subscriptions < 1 {
		return fmt.Errorf("ROLLCALL_SUBSCRIPTIONS is %d; it must be at least 1", l.Subscriptions)
	}
	return nil
}

// Limited is the limits as they hold: with none of rates, and none of a user's sockets, where these are off.
func (c Config) Limited() Limits {
	l := c.Limits
	if l.Rates != nil && *l.Rates || l.Rates == nil && c.Auth.Mode != auth.Dev {
		return l
	}
	l.EarlyBeats, l.UserSockets, l.Shed = math.MaxInt32, 0, false
	for _, limit := range []*rate.Limit{&l.UserBeats, &l.AddressBeats, &l.UserSignIns, &l.AddressSignIns, &l.UserCost, &l.AddressCost} {
		*limit = rate.Limit{}
	}
	return l
}

// Introspection says whether callers may ask for the schema.
func (c Config) Introspection() bool {
	if c.Limits.Introspection != nil {
		return *c.Limits.Introspection
	}
	return c.Auth.Mode == auth.Dev
}

// Suggestions says whether errors name what in the schema was perhaps meant.
func (c Config) Suggestions() bool { return c.Auth.Mode == auth.Dev }
