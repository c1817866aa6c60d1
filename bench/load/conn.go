// Package load sends HTTP requests as fast as they are answered, or at a steady rate.
//
// It does as little as it can, since it runs on the same processors as the servers
// it measures: requests are rendered beforehand, and of responses only what HTTP
// needs is parsed.
package load

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// answerTimeout is how long an answer may take. No case is that slow: it ends a run in which
// a server hangs.
const answerTimeout = 20 * time.Second

// Conn is one client's connection.
type Conn struct {
	conn net.Conn
	in   *bufio.Reader
	body []byte
}

// Dial connects.
func Dial(ctx context.Context, addr string) (*Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	return &Conn{conn: conn, in: bufio.NewReaderSize(conn, 16<<10)}, nil
}

// Close disconnects, without the wait of TCP that would keep ports from being used again.
func (c *Conn) Close() {
	if tcp, ok := c.conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.conn.Close()
}

// Do sends a request and returns the answer's body, which is valid until the next
// request. Any status but 200 is an error.
func (c *Conn) Do(request []byte) ([]byte, error) {
	if err := c.conn.SetDeadline(time.Now().Add(answerTimeout)); err != nil {
		return nil, err
	}
	if _, err := c.conn.Write(request); err != nil {
		return nil, err
	}
	status, err := c.in.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	ok := bytes.HasPrefix(status, []byte("HTTP/1.1 200 "))
	said := string(bytes.TrimSpace(status))
	if err := c.readBody(); err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("%s: %s", said, c.body)
	}
	return c.body, nil
}

func (c *Conn) readBody() error {
	length, err := c.readHeaders()
	if err != nil {
		return err
	}
	c.body = c.body[:0]
	if length >= 0 {
		return c.readMore(length)
	}
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		n, err := strconv.ParseUint(string(bytes.TrimSpace(line)), 16, 31)
		if err != nil {
			return fmt.Errorf("chunk: %w", err)
		}
		if err := c.readMore(int(n)); err != nil {
			return err
		}
		if _, err := c.in.Discard(2); err != nil {
			return err
		}
		if n == 0 {
			return nil
		}
	}
}

// readHeaders returns the length of the body, -1 if it comes in chunks.
func (c *Conn) readHeaders() (length int, err error) {
	length = -2
	for {
		line, err := c.in.ReadSlice('\n')
		switch {
		case err != nil:
			return 0, err
		case len(line) <= 2 && length == -2:
			return 0, errors.New("a response without a length")
		case len(line) <= 2:
			return length, nil
		}
		name, value, _ := bytes.Cut(line, []byte(": "))
		switch string(name) {
		case "Content-Length":
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, err
			}
		case "Transfer-Encoding":
			length = -1
		}
	}
}

func (c *Conn) readMore(n int) error {
	at := len(c.body)
	if need := at + n; need > cap(c.body) {
		c.body = append(make([]byte, 0, 2*need), c.body...)
	}
	c.body = c.body[:at+n]
	_, err := io.ReadFull(c.in, c.body[at:])
	return err
}

// Request renders a POST of a GraphQL request.
func Request(addr, token string, body []byte) []byte {
	head := fmt.Sprintf("POST /graphql HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		addr, token, len(body))
	return append([]byte(head), body...)
}
