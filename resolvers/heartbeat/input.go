// Package heartbeat reads the input of heartbeats. gqlgen's generated code can do it,
// at a multiple of the cost for each of the thousand users that a request may be about.
package heartbeat

import (
	"io"

	"github.com/99designs/gqlgen/graphql"

	"rollcall/internal/presence"
	"rollcall/resolvers/scalar"
)

// Input is a UserHeartbeatInput, or a HeartbeatInput, which has no user.
type Input struct {
	UserID   string
	DeviceID string
	Session  *string
	Active   bool
}

var _ interface {
	graphql.Unmarshaler
	graphql.Marshaler
} = (*Input)(nil)

// UnmarshalGQL reads what gqlgen has checked against the schema, but for null, which may
// stand in place of a variable's default.
func (in *Input) UnmarshalGQL(v any) error {
	fields, ok := v.(map[string]any)
	if !ok {
		return presence.Invalid("a heartbeat is an object")
	}
	in.Active = true // the schema's default
	for _, name := range [...]string{"userId", "deviceId", "session", "active"} {
		value, sent := fields[name]
		if !sent {
			continue
		}
		if err := in.read(name, value); err != nil {
			return presence.Invalid("%s: %v", name, err)
		}
	}
	return nil
}

func (in *Input) read(name string, value any) (err error) {
	switch name {
	case "userId":
		in.UserID, err = scalar.UnmarshalID(value)
	case "deviceId":
		in.DeviceID, err = scalar.UnmarshalID(value)
	case "session":
		if value != nil {
			in.Session = new(string)
			*in.Session, err = graphql.UnmarshalString(value)
		}
	case "active":
		if value != nil {
			in.Active, err = graphql.UnmarshalBoolean(value)
		}
	}
	return err
}

// MarshalGQL is only there for gqlgen to know the type by.
func (*Input) MarshalGQL(io.Writer) {}
