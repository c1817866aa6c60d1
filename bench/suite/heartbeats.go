package suite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"rollcall/bench/figure"
	"rollcall/bench/load"
	"rollcall/bench/process"
)

const (
	// beating is how many connections send heartbeats.
	beating = 64
	// reporting is how many connections report heartbeats of many users.
	reporting = 4
	// reported is how many users are in one report.
	reported = 500
)

const heartbeatQuery = `mutation($input: HeartbeatInput!) { heartbeat(input: $input) { outcome session serverTime expiresAt nextHeartbeatInMs } }`

const heartbeatsQuery = `mutation($input: [UserHeartbeatInput!]!) { heartbeats(input: $input) { accepted results { userId session error } } }`

// heartbeats measures cases 3 and 4: heartbeats over HTTP, of one user and of many.
func heartbeats(ctx context.Context, r *Run) error {
	redis, err := process.StartRedis(ctx, r.Dir, "redis")
	if err != nil {
		return err
	}
	defer redis.Stop()
	onRedis, err := r.rollcall(ctx, redis, rules())
	if err != nil {
		return err
	}
	defer onRedis.Stop()
	inMemory, err := r.rollcall(ctx, nil, rules())
	if err != nil {
		return err
	}
	defer inMemory.Stop()
	bare, err := r.bare(ctx)
	if err != nil {
		return err
	}
	defer bare.Stop()

	var fastest, steady []contender
	for _, s := range []struct {
		name  string
		child *process.Child
	}{{"rollcall", onRedis}, {"rollcall in memory", inMemory}, {"bare", bare}} {
		users, err := signIn(ctx, s.child.Addr, r.Sizes.Online/5, s.child == bare)
		if err != nil {
			return err
		}
		singles, err := load.Connect(ctx, s.child.Addr, beating, func(i int) load.Source { return users.beats(i, beating) })
		if err != nil {
			return err
		}
		defer singles.Close()
		fastest = append(fastest, r.profiled(counting(s.name, singles, r.Sizes.Span, 1, s.child), s.child, strings.ReplaceAll("heartbeat "+s.name, " ", "-")))
		steady = append(steady, timed(s.name, singles, r.Sizes.Span))
		if s.child != onRedis {
			continue
		}
		many, err := load.Connect(ctx, s.child.Addr, reporting, func(i int) load.Source { return users.reports(i, reporting) })
		if err != nil {
			return err
		}
		defer many.Close()
		fastest = append(fastest, r.profiled(counting("heartbeats", many, r.Sizes.Span, reported, s.child), s.child, "heartbeats"))
	}
	got, err := r.alternate(ctx, fastest...)
	if err != nil {
		return err
	}
	ours, theirs := got["rollcall"], got["bare"]
	half, eight := figure.AtLeast(0.5), figure.AtLeast(8)
	r.Table.Ratio(3, "heartbeats over HTTP, on Redis, requests/s", ours[rate], theirs[rate], "bare chi handler", &half)
	r.Table.Ratio(3, "the same, requests for each second of the server's processor time (Redis' aside)", ours[perCPU], theirs[perCPU], "bare chi handler", nil)
	r.Table.Ratio(3, "presence in memory, requests/s", got["rollcall in memory"][rate], theirs[rate], "bare chi handler", nil)
	r.Table.Ratio(4, fmt.Sprintf("`heartbeats` of %d, users/s", reported), got["heartbeats"][rate], ours[rate], "case 3", &eight)
	got, err = r.alternate(ctx, steady...)
	if err != nil {
		return err
	}
	r.Table.Ratio(3, fmt.Sprintf("p99 at %d requests/s, ms", steadyRate), got["rollcall"][p99], got["bare"][p99], "bare chi handler", nil)
	return nil
}

// steadyRate is the requests a second at which the answers' times are taken: a good part of what
// either server can do, so that neither has a queue.
const steadyRate = 4_000

func counting(name string, clients *load.Clients, span time.Duration, each int, server *process.Child) contender {
	return contender{name, func(ctx context.Context) (map[metric]float64, error) {
		return cost(func() (float64, error) {
			answered, err := clients.Fastest(ctx, span)
			return float64(answered * each), err
		}, server)
	}}
}

func timed(name string, clients *load.Clients, span time.Duration) contender {
	return contender{name, func(ctx context.Context) (map[metric]float64, error) {
		took, err := clients.Steady(ctx, span, steadyRate)
		if err != nil {
			return nil, err
		}
		return map[metric]float64{p50: inMs(took.ValueAtQuantile(50)), p99: inMs(took.ValueAtQuantile(99))}, nil
	}}
}

func inMs(microseconds int64) float64 { return float64(microseconds) / 1000 }

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

// device is as clients name theirs: 36 characters.
func device(i int) string { return fmt.Sprintf("3f2b8c1e-7a4d-4e9b-9c55-%012d", i) }

// demoUser is the i-th demo user who has a number.
func demoUser(i int) string { return "user-" + strconv.Itoa(i+1) }

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
func (r *rotation) Next() []byte {
	r.next++
	return r.requests[r.next%len(r.requests)]
}

var errAnswer = errors.New("a wrong answer")

// Check implements [load.Source].
func (r *rotation) Check(body []byte) error {
	if !bytes.Contains(body, r.want) || bytes.Contains(body, []byte(`"errors"`)) {
		return fmt.Errorf("%w: no %s", errAnswer, r.want)
	}
	return nil
}
