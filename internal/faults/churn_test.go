package faults

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// churn is users who come and go all the time, by a gateway and an administrator.
type churn struct {
	service *service
	t       *testing.T
	users   []string
	stop    func() // returns when nobody comes or goes any more

	mu       sync.Mutex
	happened history
	moves    int
	failures []failure
}

// churnTick is how often some of the users come or go: often, so that at each moment
// something is under way.
const churnTick = 10 * time.Millisecond

// newChurn begins with all users offline, and stays so until it is told to go on.
func (s *service) newChurn(users int) *churn {
	c := &churn{service: s, t: s.t, happened: history{}, stop: func() {}}
	for i := range users {
		c.users = append(c.users, fmt.Sprintf("churn-%d", i))
	}
	return c
}

// churn begins with all users offline; rate is how many come or go in a second.
func (s *service) churn(users, rate int, nodes func() []string) *churn {
	s.t.Helper()
	c := s.newChurn(users)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { c.run(ctx, rate, nodes) })
	c.stop = func() { cancel(); running.Wait() }
	s.t.Cleanup(c.stop)
	return c
}

func (c *churn) run(ctx context.Context, rate int, nodes func() []string) {
	ticker := time.NewTicker(churnTick)
	defer ticker.Stop()
	gang := max(1, int(int64(rate)*int64(churnTick)/int64(time.Second)))
	for turn := 0; ; turn++ {
		urls := nodes()
		// Not ended with ctx: what is begun shall be known to have happened.
		c.turn(urls[turn%len(urls)], turn*gang%len(c.users), gang)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// turn lets some users, who are next to each other, come or go.
func (c *churn) turn(url string, from, gang int) {
	some := c.users[from:min(from+gang, len(c.users))]
	move := c.signIn
	if c.isOnline(some[0]) {
		move = c.disconnect
	}
	if err := move(url, some); err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.failures = append(c.failures, failure{time.Now(), some[0], code(err), err.Error()})
	}
}

func (c *churn) isOnline(user string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	kinds := c.happened[user]
	return len(kinds) > 0 && kinds[len(kinds)-1] == cameOnline
}

func (c *churn) add(users []string, kind string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.happened.happened(users, kind)
	c.moves += len(users)
}

func (c *churn) signIn(url string, users []string) error {
	var input []variables
	for _, user := range users {
		input = append(input, variables{"userId": user, "deviceId": "phone"})
	}
	var got struct{ Heartbeats struct{ Accepted int } }
	const query = `mutation ($input: [UserHeartbeatInput!]!) { heartbeats(input: $input) { accepted } }`
	if err := c.service.post(context.Background(), url, admin, query, variables{"input": input}, &got); err != nil {
		return err
	}
	if got.Heartbeats.Accepted != len(users) {
		return fmt.Errorf("%d of %d sign-ins were accepted", got.Heartbeats.Accepted, len(users))
	}
	c.add(users, cameOnline)
	return nil
}

func (c *churn) disconnect(url string, users []string) error {
	var query strings.Builder
	query.WriteString("mutation {")
	for i, user := range users {
		fmt.Fprintf(&query, " m%d: disconnectUser(userId: %q) { ended }", i, user)
	}
	query.WriteString(" }")
	var got map[string]struct{ Ended bool }
	if err := c.service.post(context.Background(), url, admin, query.String(), nil, &got); err != nil {
		return err
	}
	for i, user := range users {
		if !got[fmt.Sprintf("m%d", i)].Ended {
			return fmt.Errorf("%s was not online", user)
		}
	}
	c.add(users, disconnected)
	return nil
}

// end stops the churn, sends home who is online, before their leases end, and fails if
// an operation was refused.
func (c *churn) end() {
	c.t.Helper()
	c.stop()
	const atOnce = 100 // aliases that a document may have
	for some := range slices.Chunk(c.happened.online(), atOnce) {
		require.NoError(c.t, c.disconnect(c.service.urls()[0], some))
	}
	require.Empty(c.t, c.failures)
}
