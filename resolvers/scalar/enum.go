package scalar

import (
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"rollcall/internal/presence"
)

// MarshalOnlineOrder writes o.
func MarshalOnlineOrder(o presence.Order) graphql.Marshaler {
	return graphql.MarshalString(string(o))
}

// UnmarshalOnlineOrder reads an order.
func UnmarshalOnlineOrder(v any) (presence.Order, error) {
	return unmarshalEnum(v, presence.LastActiveDesc, presence.LastActiveAsc,
		presence.LevelDesc, presence.LevelAsc, presence.Unordered)
}

// MarshalPresenceStatus writes s.
func MarshalPresenceStatus(s presence.Status) graphql.Marshaler {
	return graphql.MarshalString(string(s))
}

// UnmarshalPresenceStatus reads a status.
func UnmarshalPresenceStatus(v any) (presence.Status, error) {
	return unmarshalEnum(v, presence.Online, presence.Away, presence.Offline)
}

// MarshalHistoryResolution writes r.
func MarshalHistoryResolution(r presence.Resolution) graphql.Marshaler {
	return graphql.MarshalString(string(r))
}

// UnmarshalHistoryResolution reads a resolution.
func UnmarshalHistoryResolution(v any) (presence.Resolution, error) {
	return unmarshalEnum(v, presence.ByMinute, presence.ByHour)
}

// unmarshalEnum is strict, since gqlparser takes the value of a variable in any
// case ("online").
func unmarshalEnum[E ~string](v any, values ...E) (E, error) {
	s, _ := v.(string)
	if !slices.Contains(values, E(s)) {
		return "", presence.Invalid("%q is none of %q", s, values)
	}
	return E(s), nil
}
