package suite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"rollcall/bench/load"
)

// clients is signed-in users as their clients and a gateway send for them.
type clients struct {
	single, many [][]byte
}

// request renders a GraphQL request.
func request(addr, token, query string, variables any) ([]byte, error) {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return nil, err
	}
	return load.Request(addr, token, body), nil
}

type beatInput struct {
	UserID   string `json:"userId,omitempty"`
	DeviceID string `json:"deviceId"`
	Session  string `json:"session,omitempty"`
}

// signIn signs n users in. pretend leaves that out, for a server that knows no users.
func signIn(ctx context.Context, addr string, n int, pretend bool) (*clients, error) {
	conn, err := load.Dial(ctx, addr)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	c := &clients{}
	for from := 0; from < n; from += reported {
		inputs := make([]beatInput, min(reported, n-from))
		for i := range inputs {
			inputs[i] = beatInput{UserID: demoUser(from + i), DeviceID: device(from + i)}
		}
		if pretend {
			for i := range inputs {
				inputs[i].Session = "AQAAAZrAEjRWeKq7zN3u_xE"
			}
		} else if err := report(conn, addr, inputs); err != nil {
			return nil, err
		}
		many, err := request(addr, "dev:gateway:service", heartbeatsQuery, map[string]any{"input": inputs})
		if err != nil {
			return nil, err
		}
		c.many = append(c.many, many)
		for _, in := range inputs {
			user := in.UserID
			in.UserID = ""
			single, err := request(addr, "dev:"+user, heartbeatQuery, map[string]any{"input": in})
			if err != nil {
				return nil, err
			}
			c.single = append(c.single, single)
		}
	}
	return c, nil
}

// report sends heartbeats of many users, and gives their inputs the sessions.
func report(conn *load.Conn, addr string, inputs []beatInput) error {
	r, err := request(addr, "dev:gateway:service", heartbeatsQuery, map[string]any{"input": inputs})
	if err != nil {
		return err
	}
	body, err := conn.Do(r)
	if err != nil {
		return err
	}
	var answer struct {
		Data struct {
			Heartbeats struct {
				Results []struct{ UserID, Session string }
			}
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return err
	}
	results := answer.Data.Heartbeats.Results
	if len(results) != len(inputs) {
		return fmt.Errorf("%d results: %.300s", len(results), body)
	}
	for i, result := range results {
		if result.UserID != inputs[i].UserID || result.Session == "" {
			return fmt.Errorf("no session for %s: %v", inputs[i].UserID, result)
		}
		inputs[i].Session = result.Session
	}
	return nil
}

// beats are the heartbeats of each n-th user, from the i-th on.
func (c *clients) beats(i, n int) load.Source {
	return &rotation{requests: every(c.single, i, n), want: []byte(`"outcome":"REFRESHED"`)}
}

// reports are each n-th report, from the i-th on.
func (c *clients) reports(i, n int) load.Source {
	return &rotation{requests: every(c.many, i, n), want: fmt.Appendf(nil, `"accepted":%d,`, min(reported, len(c.single)))}
}

func every(requests [][]byte, i, n int) (picked [][]byte) {
	for ; i < len(requests); i += n {
		picked = append(picked, requests[i])
	}
	if picked == nil {
		return requests
	}
	return picked
}

// rotation sends requests in turn, all of which are to be answered alike.
type rotation struct {
	requests [][]byte
	next     int
	want     []byte
}

var _ load.Source = (*rotation)(nil)

// Next implements [load.Source].
func (r *rotation) Next(time.Time) ([]byte, error) {
	r.next++
	return r.requests[r.next%len(r.requests)], nil
}

var errAnswer = errors.New("a wrong answer")

// Check implements [load.Source].
func (r *rotation) Check(body []byte) error {
	if bytes.Contains(body, []byte("store is unavailable")) {
		return load.ErrRefused
	}
	if !bytes.Contains(body, r.want) || bytes.Contains(body, []byte(`"errors"`)) {
		return fmt.Errorf("%w: no %s", errAnswer, r.want)
	}
	return nil
}
