package server

import (
	"net/http"
	"net/netip"
)

// clientAddress is the address of the client that sent a request: that of the connection. The zero address if it has none.
func clientAddress(r *http.Request) netip.Addr {
	address, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return address.Addr().Unmap()
}
