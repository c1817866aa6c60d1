package ws

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"
	"github.com/coder/websocket"
)

const subprotocol = "graphql-transport-ws"

// The protocol's message types.
const (
	typeInit      = "connection_init"
	typeAck       = "connection_ack"
	typePing      = "ping"
	typePong      = "pong"
	typeSubscribe = "subscribe"
	typeNext      = "next"
	typeError     = "error"
	typeComplete  = "complete"
)

// message is one message of the client.
type message struct {
	ID      string          `json:"id"`
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload"`
}

// parse reads a client's message. The error is a closing.
func parse(kind websocket.MessageType, data []byte) (message, error) {
	var m message
	switch {
	case kind != websocket.MessageText:
		return m, errBinary
	case !utf8.Valid(data): // encoding/json would replace the broken bytes without a word
		return m, errUTF8
	case json.Unmarshal(data, &m) != nil:
		return m, errMalformed
	case m.ID == "" && (m.Type == typeSubscribe || m.Type == typeComplete):
		return m, errMalformed
	}
	return m, nil
}

// operationParams reads the payload of a subscribe message. The error is a closing.
func operationParams(payload json.RawMessage) (*graphql.RawParams, error) {
	if !bytes.HasPrefix(payload, []byte("{")) {
		return nil, errMalformedPayload
	}
	decoder := json.NewDecoder(bytes.NewReader(payload))
	decoder.UseNumber() // a large integer must not pass through a float
	params := &graphql.RawParams{}
	if decoder.Decode(params) != nil {
		return nil, errMalformedPayload
	}
	return params, nil
}

// outgoing is a message to the client.
type outgoing struct {
	// op is the operation it belongs to; nil if it is the connection's.
	op   *operation
	kind string
	// payload is JSON, or nil for none. Sockets may share it: nobody changes it.
	payload []byte
}

// size is how long it is as JSON, in bytes.
func (o outgoing) size() int {
	n := len(`{"type":""}`) + len(o.kind)
	if o.op != nil {
		n += len(`,"id":`) + len(o.op.quotedID)
	}
	if o.payload != nil {
		n += len(`,"payload":`) + len(o.payload)
	}
	return n
}

// appendTo appends the message as JSON.
func (o outgoing) appendTo(b []byte) []byte {
	b = append(b, `{"type":"`...)
	b = append(b, o.kind...)
	b = append(b, '"')
	if o.op != nil {
		b = append(b, `,"id":`...)
		b = append(b, o.op.quotedID...)
	}
	if o.payload != nil {
		b = append(b, `,"payload":`...)
		b = append(b, o.payload...)
	}
	return append(b, '}')
}
