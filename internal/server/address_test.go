package server

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClientAddress(t *testing.T) {
	for remote, want := range map[string]string{
		"192.0.2.7:1234": "192.0.2.7", "[2001:db8::1]:80": "2001:db8::1", "[::ffff:192.0.2.7]:80": "192.0.2.7", "@": "invalid IP", "": "invalid IP",
	} {
		require.Equal(t, want, clientAddress(&http.Request{RemoteAddr: remote}).String())
	}
}
