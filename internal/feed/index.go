package feed

import (
	"iter"
	"slices"
	"strings"

	"rollcall/internal/presence"
)

// index finds the subscribers of an event: all that aren't narrowed, and of
// those that are only the ones who asked for its user. So ten thousand
// subscribers to one user each cost nothing for an event of another. The hub's
// lock guards it.
type index struct {
	groups map[string]*group // by key
	byUser map[string]map[*group]struct{}
	size   int // subscriptions
}

// group is the subscribers who are told the same: the events of everybody, or of
// the same users.
type group struct {
	key     string
	users   []string // nil: everybody
	members []*Subscription
	end     *link            // of the chain of what its members are told
	matched []presence.Event // of the delta that is being told
}

// everybody is the key of those who aren't narrowed; ids have no spaces.
const everybody = " "

// keyOf is the key of those who asked for these users, which are sorted, each once.
func keyOf(users []string) string {
	if users == nil {
		return everybody
	}
	return strings.Join(users, " ")
}

func newIndex() index {
	return index{groups: make(map[string]*group), byUser: make(map[string]map[*group]struct{})}
}

func (x *index) add(s *Subscription) {
	key := keyOf(s.users)
	g := x.groups[key]
	if g == nil {
		g = &group{key: key, users: s.users, end: new(link)}
		x.groups[key] = g
		for _, user := range g.users {
			if x.byUser[user] == nil {
				x.byUser[user] = make(map[*group]struct{}, 1)
			}
			x.byUser[user][g] = struct{}{}
		}
	}
	s.group, s.slot = g, len(g.members)
	g.members = append(g.members, s)
	x.size++
}

// remove does nothing for one that isn't there.
func (x *index) remove(s *Subscription) {
	g := s.group
	if g == nil {
		return
	}
	s.group = nil
	x.size--
	last := len(g.members) - 1
	g.members[s.slot] = g.members[last]
	g.members[s.slot].slot = s.slot
	g.members = slices.Delete(g.members, last, last+1)
	if last > 0 {
		return
	}
	delete(x.groups, g.key)
	for _, user := range g.users {
		delete(x.byUser[user], g)
		if len(x.byUser[user]) == 0 {
			delete(x.byUser, user)
		}
	}
}

func (x *index) all() iter.Seq[*Subscription] {
	return func(yield func(*Subscription) bool) {
		for _, g := range x.groups {
			for _, s := range g.members {
				if !yield(s) {
					return
				}
			}
		}
	}
}

// clear empties the index and returns who was in it.
func (x *index) clear() []*Subscription {
	all := slices.Collect(x.all())
	for _, s := range all {
		s.group = nil
	}
	*x = newIndex()
	return all
}

func (x *index) tell(d *Delta) {
	if g := x.groups[everybody]; g != nil {
		g.tell(d)
	}
	if len(x.byUser) == 0 {
		return
	}
	var touched []*group
	for _, e := range d.Events {
		for g := range x.byUser[e.Presence.UserID] {
			if g.matched == nil {
				touched = append(touched, g)
			}
			g.matched = append(g.matched, e)
		}
	}
	for _, g := range touched {
		g.tell(&Delta{Events: g.matched, Position: d.Position})
		g.matched = nil
	}
}

func (g *group) tell(d *Delta) {
	told := g.end
	told.delta, told.next = d, new(link)
	g.end = told.next
	for _, s := range g.members {
		s.push(told)
	}
}
