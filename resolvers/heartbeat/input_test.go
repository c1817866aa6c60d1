package heartbeat_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
	"rollcall/resolvers/heartbeat"
)

func TestInput(t *testing.T) {
	token := "AQ"
	for name, tt := range map[string]struct {
		sent map[string]any
		read heartbeat.Input
	}{
		"nothing but the device": {map[string]any{"deviceId": "phone"}, heartbeat.Input{DeviceID: "phone", Active: true}},
		"everything": {
			map[string]any{"userId": "ann", "deviceId": "phone", "session": token, "active": false},
			heartbeat.Input{UserID: "ann", DeviceID: "phone", Session: &token},
		},
		"nulls":   {map[string]any{"deviceId": "phone", "session": nil, "active": nil}, heartbeat.Input{DeviceID: "phone", Active: true}},
		"numbers": {map[string]any{"userId": int64(7), "deviceId": json.Number("8")}, heartbeat.Input{UserID: "7", DeviceID: "8", Active: true}},
	} {
		t.Run(name, func(t *testing.T) {
			var in heartbeat.Input
			require.NoError(t, in.UnmarshalGQL(tt.sent))
			require.Equal(t, tt.read, in)
		})
	}
}

func TestInputNamesWhatIsWrong(t *testing.T) {
	var in heartbeat.Input
	var invalid *presence.InvalidError
	require.ErrorAs(t, in.UnmarshalGQL(map[string]any{"userId": "ann", "deviceId": json.Number("1.5")}), &invalid)
	require.Equal(t, "deviceId: an ID is a string or an integer of 64 bits", invalid.Message)
	for _, v := range []any{nil, "ann"} {
		require.ErrorAs(t, in.UnmarshalGQL(v), &invalid)
		require.Equal(t, "a heartbeat is an object", invalid.Message)
	}
}
