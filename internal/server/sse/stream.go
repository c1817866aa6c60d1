package sse

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// stream writes events to one response. Its methods may be called concurrently.
type stream struct {
	mu       sync.Mutex
	w        http.ResponseWriter
	response *http.ResponseController
	timeout  time.Duration
}

func newStream(w http.ResponseWriter, timeout time.Duration) *stream {
	s := &stream{w: w, response: http.NewResponseController(w), timeout: timeout}
	_ = s.response.SetReadDeadline(time.Time{}) // the request has come, and the stream outlives its deadline
	return s
}

// open sends the headers, long before there may be an event to go with them.
func (s *stream) open() error {
	h := s.w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no") // nginx would collect the events
	s.w.WriteHeader(http.StatusOK)
	return s.write([]byte(":\n\n"))
}

func (s *stream) next(payload []byte) error { return s.write(appendNext(nil, payload)) }

// appendNext appends the event of an answer, if there is one.
func appendNext(events, payload []byte) []byte {
	if payload == nil {
		return events
	}
	events = append(events, "event: next\ndata: "...)
	events = append(events, payload...) // one line: JSON as encoded has no line breaks
	return append(events, "\n\n"...)
}

// complete ends the operation. The empty data is needed: browsers drop an event that has none.
func (s *stream) complete() error {
	return s.write([]byte("event: complete\ndata:\n\n"))
}

// comment writes a comment every interval until ctx ends, down is closed, or the client does not take it.
func (s *stream) comment(ctx context.Context, interval time.Duration, down <-chan struct{}) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-down:
			return
		case <-ticker.C:
			if s.write([]byte(":\n\n")) != nil {
				return
			}
		}
	}
}

func (s *stream) write(p []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.response.SetWriteDeadline(time.Now().Add(s.timeout)); err != nil {
		return err
	}
	if _, err := s.w.Write(p); err != nil { //nolint:gosec // an event stream is not a page
		return err
	}
	return s.response.Flush()
}

// release takes the deadline off the connection, which may serve other requests.
func (s *stream) release() {
	_ = s.response.SetWriteDeadline(time.Time{}) // fails only where no deadline could be set before
}
