package presence_test

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"rollcall/internal/presence"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// requireInvalid checks that err is bad input, with a text for the client.
func requireInvalid(t *testing.T, err error) {
	t.Helper()
	var invalid *presence.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.NotEmpty(t, invalid.Message)
}
