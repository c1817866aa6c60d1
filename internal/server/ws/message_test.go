package ws

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"rollcall/internal/presence"
	"rollcall/internal/server/limit"
)

func TestBadMessages(t *testing.T) {
	f := serve(t, Config{})
	for name, message := range map[string]string{
		"empty":                   ``,
		"not JSON":                `{"type":`,
		"two values":              `{"type":"ping"}{"type":"ping"}`,
		"null":                    `null`,
		"array":                   `[{"type":"ping"}]`,
		"no type":                 `{"id":"1"}`,
		"unknown type":            `{"type":"start"}`,
		"a server's type":         `{"type":"next","id":"1"}`,
		"type of a wrong type":    `{"type":1}`,
		"id of a wrong type":      `{"type":"subscribe","id":1,"payload":{"query":"{ who }"}}`,
		"subscribe without id":    `{"type":"subscribe","payload":{"query":"{ who }"}}`,
		"complete without id":     `{"type":"complete"}`,
		"subscribe, no payload":   `{"type":"subscribe","id":"1"}`,
		"subscribe, null payload": `{"type":"subscribe","id":"1","payload":null}`,
		"query of a wrong type":   `{"type":"subscribe","id":"1","payload":{"query":1}}`,
		"variables an array":      `{"type":"subscribe","id":"1","payload":{"query":"{ who }","variables":[]}}`,
		"not UTF-8":               "{\"type\":\"ping\",\"payload\":{\"a\":\"\xff\"}}",
	} {
		t.Run(name, func(t *testing.T) {
			c := f.connect(t, "ann")
			c.send(message)
			c.expectClose(4400)
		})
	}
}

func TestBadInitPayload(t *testing.T) {
	f := serve(t, Config{})
	for _, payload := range []string{`[]`, `"Bearer ann"`, `{"Authorization":1}`} {
		c := f.dial(t, nil)
		c.send(`{"type":"connection_init","payload":` + payload + `}`)
		c.expectClose(4400)
	}
}

func TestBinaryMessage(t *testing.T) {
	c := serve(t, Config{}).connect(t, "ann")
	c.sendKind(websocket.MessageBinary, []byte(`{"type":"ping"}`))
	c.expectClose(4400)
}

func TestOversizedMessage(t *testing.T) {
	f := serve(t, Config{ReadLimit: 1000})
	c := f.connect(t, "ann")
	c.send(`{"type":"ping","payload":{"a":"` + strings.Repeat("x", 960) + `"}}`)
	c.expect(`{"type":"pong","payload":{"a":"` + strings.Repeat("x", 960) + `"}}`)
	c.send(`{"type":"ping","payload":{"a":"` + strings.Repeat("x", 100_000) + `"}}`)
	c.expectClose(websocket.StatusMessageTooBig)
}

// Whatever may be asked over HTTP may be asked over a WebSocket: the largest requests fit, and need a token; those with
// heartbeats that of a service.
func TestLargestRequests(t *testing.T) {
	ids, beats := make([]string, presence.MaxIDs), make([]map[string]any, presence.MaxBeats)
	for i := range ids {
		ids[i] = fmt.Sprintf("%0*d", 120, i)
	}
	for i := range beats {
		user, device := fmt.Sprintf("%0*d", presence.MaxUserIDBytes, i), strings.Repeat("\U0001F600", presence.MaxDeviceIDRunes)
		beats[i] = map[string]any{
			"userId": user, "deviceId": device, "session": presence.SessionToken(user, device, 1), "active": true,
		}
	}
	f := serve(t, Config{})
	ann, gateway := f.connect(t, "ann"), f.connect(t, "gateway")
	nobody := f.dial(t, nil)
	nobody.send(`{"type":"connection_init"}`)
	nobody.expect(`{"type":"connection_ack"}`)
	message := func(query string, variables map[string]any) string {
		message, err := json.Marshal(map[string]any{"id": "1", "type": "subscribe", "payload": map[string]any{
			"query": query, "variables": variables,
		}})
		require.NoError(t, err)
		return string(message)
	}
	large := message(`{ who }`, map[string]any{"userIds": ids})
	ann.send(large)
	ann.expectNext("1", `{"data":{"who":"ann"}}`)
	ann.expectComplete("1")
	nobody.send(large)
	require.Equal(t, []string{"UNAUTHENTICATED"}, nobody.expectErrors("1"))

	largest := message(`mutation { heartbeats(input: []) }`, map[string]any{"input": beats})
	gateway.send(largest)
	gateway.expectNext("1", `{"data":{"heartbeats":null}}`)
	gateway.expectComplete("1")
	gateway.send(message(`{ who }`, map[string]any{"input": beats}))
	require.Equal(t, []string{"BAD_USER_INPUT"}, gateway.expectErrors("1"))
	gateway.send(`{"type":"ping","payload":{"a":"` + strings.Repeat("x", limit.Heartbeats+envelope) + `"}}`)
	gateway.expectClose(websocket.StatusMessageTooBig)
	for _, c := range []*client{ann, nobody} {
		c.send(largest)
		c.expectClose(websocket.StatusMessageTooBig)
	}
}

func TestMalformedFrames(t *testing.T) {
	f := serve(t, Config{})
	for name, tt := range map[string]struct {
		frame []byte
		code  websocket.StatusCode
	}{
		"unmasked":        {[]byte{0x81, 0x02, '{', '}'}, 4400},
		"reserved bit":    {[]byte{0xc1, 0x80, 0, 0, 0, 0}, websocket.StatusProtocolError},
		"unknown opcode":  {[]byte{0x83, 0x80, 0, 0, 0, 0}, websocket.StatusProtocolError},
		"lone fragment":   {[]byte{0x80, 0x80, 0, 0, 0, 0}, websocket.StatusProtocolError},
		"fragmented ping": {[]byte{0x09, 0x80, 0, 0, 0, 0}, websocket.StatusProtocolError},
	} {
		t.Run(name, func(t *testing.T) {
			c := f.connect(t, "ann")
			_, err := c.raw.Write(tt.frame)
			if err != nil {
				t.Fatal(err)
			}
			c.expectClose(tt.code)
		})
	}
}
