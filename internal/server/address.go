package server

import (
	"net/http"
	"net/netip"

	"rollcall/internal/peer"
)

// clientAddress is the address of the client that sent a request: that of the connection. The zero address if it has none.
func clientAddress(r *http.Request) netip.Addr {
	address, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return address.Addr().Unmap()
}

// noteAddress puts the client's address into the request's context.
func noteAddress(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(peer.With(r.Context(), clientAddress(r))))
	})
}
