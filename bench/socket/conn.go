// Package socket is many subscribers over graphql-transport-ws, who take note of each
// event that they are told and do little else: they run on the same processors as the
// server that is measured.
package socket

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

// WebSocket's opcodes (RFC 6455, section 5.2).
const (
	text      = 1
	closing   = 8
	ping      = 9
	pong      = 10
	finalText = 0x80 | text
)

// conn is a client's WebSocket.
type conn struct {
	net.Conn
	in      *bufio.Reader
	payload []byte
}

// dial opens a WebSocket at a path of addr.
func dial(ctx context.Context, addr string) (*conn, error) {
	tcp, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: tcp, in: bufio.NewReaderSize(tcp, 2048)}
	request := "GET /graphql HTTP/1.1\r\nHost: " + addr + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n"
	if _, err := io.WriteString(tcp, request); err != nil {
		c.drop()
		return nil, err
	}
	resp, err := http.ReadResponse(c.in, nil)
	if err != nil {
		c.drop()
		return nil, err
	}
	_ = resp.Body.Close() // of an upgrade it is empty
	if resp.StatusCode != http.StatusSwitchingProtocols {
		c.drop()
		return nil, errors.New(resp.Status)
	}
	return c, nil
}

// drop ends the connection without the wait of TCP that would keep ports from being used again.
func (c *conn) drop() {
	if tcp, ok := c.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}

// send writes a message. The mask that clients must use is zero, which leaves it as it is.
func (c *conn) send(opcode byte, message []byte) error {
	const masked = 0x80
	frame := []byte{0x80 | opcode}
	if len(message) < 126 {
		frame = append(frame, masked|byte(len(message)))
	} else {
		frame = binary.BigEndian.AppendUint16(append(frame, masked|126), uint16(len(message)))
	}
	frame = append(append(frame, 0, 0, 0, 0), message...)
	_, err := c.Write(frame)
	return err
}

// receive is the next text message, valid until the next call. Pings are answered.
func (c *conn) receive() ([]byte, error) {
	for {
		opcode, err := c.frame()
		switch {
		case err != nil:
			return nil, err
		case opcode == text:
			return c.payload, nil
		case opcode == closing:
			return nil, fmt.Errorf("the server has closed: %q", c.payload)
		case opcode == ping:
			if err := c.send(pong, c.payload); err != nil {
				return nil, err
			}
		}
	}
}

func (c *conn) frame() (opcode byte, err error) {
	head, err := c.in.Peek(2)
	if err != nil {
		return 0, err
	}
	opcode, length, extra := head[0]&0x0f, int(head[1]), 0
	switch length {
	case 126:
		extra = 2
	case 127:
		extra = 8
	}
	if extra > 0 {
		long, err := c.in.Peek(2 + extra)
		if err != nil {
			return 0, err
		}
		length = 0
		for _, b := range long[2:] {
			length = length<<8 | int(b)
		}
	}
	if _, err := c.in.Discard(2 + extra); err != nil {
		return 0, err
	}
	if length > cap(c.payload) {
		c.payload = make([]byte, length)
	}
	c.payload = c.payload[:length]
	_, err = io.ReadFull(c.in, c.payload)
	return opcode, err
}

// subscribe begins the one operation of the connection.
func (c *conn) subscribe(token, query string) error {
	if err := c.send(text, []byte(`{"type":"connection_init","payload":{"Authorization":"Bearer `+token+`"}}`)); err != nil {
		return err
	}
	ack, err := c.receive()
	if err != nil {
		return err
	}
	if !strings.Contains(string(ack), "connection_ack") {
		return fmt.Errorf("no connection_ack but %s", ack)
	}
	return c.send(text, []byte(`{"type":"subscribe","id":"1","payload":{"query":"`+query+`"}}`))
}
