package address

import "context"

// ipv6Network is what providers give to one customer at the least (RFC 6177): whoever has it has all of its addresses.
const ipv6Network = 64

// Counted is what to count a client under; "" for one who is not to be counted by address: this machine's own, such as a proxy in front
// that is not trusted to say whom it speaks for, and one without an client.
func Counted(ctx context.Context) string {
	client := plain(FromContext(ctx))
	switch {
	case !client.IsValid(), client.IsLoopback():
		return ""
	case client.Is6():
		network, err := client.Prefix(ipv6Network)
		if err != nil {
			return ""
		}
		return network.String()
	}
	return client.String()
}
