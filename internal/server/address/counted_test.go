package address

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClientsAreCountedByNetwork(t *testing.T) {
	require.Empty(t, Counted(t.Context()))
	for address, want := range map[string]string{
		"127.0.0.1": "", "::1": "", "::ffff:127.0.0.1": "",
		"192.0.2.7": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7",
		"2001:db8:1:2:3::4": "2001:db8:1:2::/64", "2001:db8:1:2:ffff::": "2001:db8:1:2::/64", "fe80::1%eth0": "fe80::/64",
	} {
		require.Equal(t, want, Counted(With(t.Context(), netip.MustParseAddr(address))), address)
	}
}
