package feed

import "slices"

// index finds the subscribers of an event: all that aren't narrowed, and of
// those that are only the ones who asked for its user. So ten thousand
// subscribers to one user each cost nothing for an event of another. The hub's
// lock guards it.
type index struct {
	all        map[*Subscription]struct{}
	unfiltered []*Subscription
	byUser     map[string]map[*Subscription]struct{}
}

func newIndex() index {
	return index{all: make(map[*Subscription]struct{}), byUser: make(map[string]map[*Subscription]struct{})}
}

func (x *index) add(s *Subscription) {
	x.all[s] = struct{}{}
	if s.users == nil {
		s.slot = len(x.unfiltered)
		x.unfiltered = append(x.unfiltered, s)
		return
	}
	for user := range s.users {
		subs := x.byUser[user]
		if subs == nil {
			subs = make(map[*Subscription]struct{}, 1)
			x.byUser[user] = subs
		}
		subs[s] = struct{}{}
	}
}

// remove does nothing for one that isn't there.
func (x *index) remove(s *Subscription) {
	if _, ok := x.all[s]; !ok {
		return
	}
	delete(x.all, s)
	if s.users == nil {
		last := len(x.unfiltered) - 1
		x.unfiltered[s.slot] = x.unfiltered[last]
		x.unfiltered[s.slot].slot = s.slot
		x.unfiltered = slices.Delete(x.unfiltered, last, last+1)
		return
	}
	for user := range s.users {
		subs := x.byUser[user]
		delete(subs, s)
		if len(subs) == 0 {
			delete(x.byUser, user)
		}
	}
}

// clear empties the index and returns who was in it.
func (x *index) clear() map[*Subscription]struct{} {
	all := x.all
	*x = newIndex()
	return all
}

func (x *index) tell(b *batch) {
	for _, s := range x.unfiltered {
		s.push(b)
	}
	if len(x.byUser) == 0 {
		return
	}
	var touched []*Subscription
	for _, e := range b.events {
		for s := range x.byUser[e.Presence.UserID] {
			if s.matched == nil {
				touched = append(touched, s)
			}
			s.matched = append(s.matched, e)
		}
	}
	for _, s := range touched {
		s.push(&batch{events: s.matched, after: b.after})
		s.matched = nil
	}
}
