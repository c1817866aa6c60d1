// Package peer carries the address of the client that a request or a socket belongs to.
package peer

import (
	"context"
	"net/netip"
)

type key struct{}

// With is ctx with a client's address.
func With(ctx context.Context, address netip.Addr) context.Context {
	return context.WithValue(ctx, key{}, address)
}

// Address is the address of the client that ctx belongs to; the zero address if there is none.
func Address(ctx context.Context) netip.Addr {
	address, _ := ctx.Value(key{}).(netip.Addr)
	return address
}

// ipv6Network is what providers give to one customer at the least (RFC 6177): whoever has it has all of its addresses.
const ipv6Network = 64

// Limited is what to count a client under; "" for one who is not to be counted by address: this machine's own, such as a proxy in front
// that is not trusted to say whom it speaks for, and one without an address.
func Limited(ctx context.Context) string {
	address := Address(ctx).Unmap().WithZone("")
	switch {
	case !address.IsValid(), address.IsLoopback():
		return ""
	case address.Is6():
		network, err := address.Prefix(ipv6Network)
		if err != nil {
			return ""
		}
		return network.String()
	}
	return address.String()
}
