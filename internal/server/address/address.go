// Package address says which address a request comes from, also behind proxies.
package address

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
)

// Proxies are the networks of the proxies that are believed about whom they ask for.
type Proxies []netip.Prefix

// Parse reads networks such as 10.0.0.0/8, and single addresses.
func Parse(networks []string) (Proxies, error) {
	var p Proxies
	for _, text := range networks {
		network, err := netip.ParsePrefix(text)
		if single, failure := netip.ParseAddr(text); failure == nil && single.Zone() == "" {
			network, err = netip.PrefixFrom(single, single.BitLen()), nil
		}
		if err != nil || network.Addr().Is4In6() {
			return nil, fmt.Errorf("%q is neither an address nor a network such as 10.0.0.0/8", text)
		}
		p = append(p, network)
	}
	return p, nil
}

// Of is the address of who has sent a request. If that is a trusted proxy, it is who the proxy says has sent it, and so on
// through the chain, from its end on: what stands before the first one that is not trusted, anybody may have written. Proxies
// that send both X-Forwarded-For and Forwarded (RFC 7239) must say the same by them, or else one of them is the client's
// own, and neither is believed. The result is invalid if the request came by no network.
func (p Proxies) Of(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	sender := plain(peer.Addr())
	if !p.trust(sender) {
		return sender
	}
	listed, standard := r.Header.Values("X-Forwarded-For"), r.Header.Values("Forwarded")
	switch {
	case len(standard) == 0:
		return p.first(sender, listed, addressOf)
	case len(listed) == 0:
		return p.first(sender, standard, forwardedFor)
	}
	client := p.first(sender, listed, addressOf)
	if client != p.first(sender, standard, forwardedFor) {
		return sender
	}
	return client
}

// first goes back from sender as far as it is trusted, and no further than what it says makes sense.
func (p Proxies) first(sender netip.Addr, lines []string, read func(string) (netip.Addr, bool)) netip.Addr {
	// Several lines are one list (RFC 9110, section 5.3).
	list := strings.Join(lines, ",")
	for more := true; more && p.trust(sender); {
		var last string
		list, last, more = cutLast(list)
		before, ok := read(strings.TrimSpace(last))
		if !ok {
			break
		}
		sender = before
	}
	return sender
}

// cutLast cuts the last element off a list; more says whether any is left.
func cutLast(list string) (rest, last string, more bool) {
	i := strings.LastIndexByte(list, ',')
	if i < 0 {
		return "", list, false
	}
	return list[:i], list[i+1:], true
}

func (p Proxies) trust(a netip.Addr) bool {
	for _, network := range p {
		if network.Contains(a) {
			return true
		}
	}
	return false
}

// forwardedFor is the address in the `for` parameter of an element of Forwarded.
func forwardedFor(element string) (netip.Addr, bool) {
	for parameter := range strings.SplitSeq(element, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
		if strings.EqualFold(name, "for") {
			return addressOf(strings.Trim(value, `"`))
		}
	}
	return netip.Addr{}, false
}

// addressOf reads an address, with or without a port, and in brackets if it is one of IPv6.
func addressOf(text string) (netip.Addr, bool) {
	if both, err := netip.ParseAddrPort(text); err == nil {
		return plain(both.Addr()), true
	}
	if bare, bracketed := strings.CutPrefix(text, "["); bracketed {
		text = strings.TrimSuffix(bare, "]")
	}
	a, err := netip.ParseAddr(text)
	return plain(a), err == nil
}

// plain is an address without what does not tell hosts apart: the zone of an interface, and IPv6 around IPv4.
func plain(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

type key struct{}

// Note puts the address of each request into its context.
func (p Proxies) Note(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(With(r.Context(), p.Of(r))))
	})
}

// With is ctx with a client's address.
func With(ctx context.Context, client netip.Addr) context.Context {
	return context.WithValue(ctx, key{}, client)
}

// FromContext is the address that Note or With has put into ctx; invalid if neither has.
func FromContext(ctx context.Context) netip.Addr {
	a, _ := ctx.Value(key{}).(netip.Addr)
	return a
}
