package presencetest

import (
	"context"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"rollcall/internal/presence"
)

// ModelOptions are the options of both stores of a [Model] run.
func ModelOptions() Options {
	return Options{Shards: 2, Rules: presence.DefaultRules(), LevelIndex: true, EventLog: 10_000}
}

// Model drives two empty stores on one clock with the same random commands, and
// compares all answers, every user's events and the list after each of them.
// Event ids and positions are each store's own; what they yield is compared.
func Model(t *rapid.T, a, b Fixture, seen *Coverage) {
	require.Same(t, a.Clock, b.Clock)
	m := &model{
		pair:   pair{a, b},
		clock:  a.Clock,
		rules:  ModelOptions().Rules,
		seen:   seen,
		epochs: map[string][]presence.Epoch{},
		device: map[string]string{},
		leases: map[string]presence.Millis{},
		told:   map[string]presence.Event{},
	}
	m.read = m.tail(t)
	t.Repeat(map[string]func(*rapid.T){
		"":                     m.check,
		"sign in":              m.signIn,
		"beat":                 m.beatOn,
		"beat of any epoch":    m.beatAny,
		"several beats":        m.beatMany,
		"sign out":             m.signOut,
		"disconnect":           m.disconnect,
		"wait":                 m.wait,
		"jump to a moment":     m.jump,
		"pass to a moment":     m.pass,
		"pass to next moment":  m.passToNext,
		"sweep":                func(t *rapid.T) { m.sweep(t) },
		"set levels":           m.setLevels,
		"page":                 m.page,
		"next page":            m.nextPage,
		"walk":                 m.walk,
		"keep position":        m.keepPosition,
		"resume from position": m.resume,
		"lose everything":      m.lose,
	})
}

// pair is the two stores; a is the one whose answers guide the run.
type pair struct{ a, b Fixture }

type model struct {
	pair
	clock *Clock
	rules presence.Rules
	seen  *Coverage

	epochs  map[string][]presence.Epoch  // by user, from answers; they outlive a loss
	device  map[string]string            // by user, of the last accepted beat
	leases  map[string]presence.Millis   // by user, the last lease end told
	known   map[string]presence.Presence // by user, at the last check
	moments []presence.Millis            // when something may be due
	lost    bool                         // a loss of data came before
	read    positions                    // up to where events have been compared
	kept    []positions
	marks   []mark
	told    map[string]presence.Event // by user, the last event
}

// positions are one place in both stores' logs.
type positions struct{ a, b presence.Position }

// mark is a place in a list that was read before.
type mark struct {
	order  presence.Order
	filter presence.Filter
	at     presence.Mark
}

// few users and devices, so that their paths cross
func userIDs() []string { return []string{"ann", "bob", "cid", "7", "dee"} }

func drawUser(t *rapid.T) string { return rapid.SampledFrom(userIDs()).Draw(t, "user") }
func drawDevice(t *rapid.T) string {
	return rapid.SampledFrom([]string{"phone", "tablet"}).Draw(t, "device")
}

func drawKind(t *rapid.T) presence.BeatKind {
	return rapid.SampledFrom([]presence.BeatKind{
		presence.Active, presence.Active, presence.Background, presence.Pong,
	}).Draw(t, "kind")
}

// wait lets a little time go by.
func (m *model) wait(t *rapid.T) {
	m.clock.Advance(time.Duration(rapid.SampledFrom([]int{1, 1, 2, 900, 5000, 5001, 24_000, 61_000}).Draw(t, "ms")) * time.Millisecond)
}

// moment is a time at or next to which something is due: a lease's end, AWAY,
// the end of a grace, the limit of a gap, being forgotten.
func (m *model) moment(t *rapid.T) time.Duration {
	var ahead []presence.Millis
	for _, at := range m.moments {
		if at > m.clock.Now() {
			ahead = append(ahead, at)
		}
	}
	m.moments = ahead
	if len(ahead) == 0 {
		return 0
	}
	at := rapid.SampledFrom(ahead).Draw(t, "moment")
	off := rapid.SampledFrom([]presence.Millis{0, 0, -1, 1}).Draw(t, "off")
	return time.Duration(max(at+off-m.clock.Now(), 0)) * time.Millisecond
}

func (m *model) due(at ...presence.Millis) { m.moments = append(m.moments, at...) }

// jump is time in which nobody sweeps.
func (m *model) jump(t *rapid.T) { m.clock.Advance(m.moment(t)) }

// pass is time with sweeps as often as they must be, if it is not too long for that.
func (m *model) pass(t *rapid.T) { m.passFor(t, m.moment(t)) }

func (m *model) passToNext(t *rapid.T) {
	next := time.Duration(0)
	for _, at := range m.moments {
		if d := time.Duration(at-m.clock.Now()) * time.Millisecond; d > 0 && (next == 0 || d < next) {
			next = d
		}
	}
	m.passFor(t, next)
}

func (m *model) passFor(t *rapid.T, d time.Duration) {
	if d > 10*time.Minute {
		m.clock.Advance(d)
		return
	}
	for d > 0 {
		m.sweep(t)
		step := min(d, m.rules.Gap())
		m.clock.Advance(step)
		d -= step
	}
}

func (m *model) lose(t *rapid.T) {
	if rapid.IntRange(0, 3).Draw(t, "spared") > 0 {
		return
	}
	m.a.Lose()
	m.b.Lose()
	m.clock.Advance(time.Millisecond) // a store is not back in the same moment
	m.lost, m.known = true, nil
	m.due(m.clock.Now().Add(m.rules.TTL))
}

func (m *model) tail(t *rapid.T) positions {
	a, err := m.a.Store.Tail(context.Background())
	require.NoError(t, err)
	b, err := m.b.Store.Tail(context.Background())
	require.NoError(t, err)
	m.due(m.clock.Now().Add(m.rules.TTL))
	return positions{a, b}
}
