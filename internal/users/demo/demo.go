// Package demo invents users for a first look at the service and for load
// tests.
package demo

import (
	"strconv"

	"rollcall/internal/users"
)

// Users is how many demo users the embedded database starts with.
const Users = 200

// known is how many demo users have an id of their own, for the README's sake.
const known = 3

// User returns the i-th demo user, from 0: alice, bob and carol, then user-1,
// user-2 and so on, with levels from 1 to 50. The same i always gives the same
// user. There is no avatar, since a picture would have to come from the
// internet or be served by us.
func User(i int) users.Details {
	switch i {
	case 0:
		return details("alice", "Alice Arden", 42)
	case 1:
		return details("bob", "Bob Berger", 17)
	case 2:
		return details("carol", "Carol Castillo", 33)
	}
	n := i - known + 1
	given, family := givenNames(), familyNames()
	name := given[n%len(given)] + " " + family[n/len(given)%len(family)]
	return details("user-"+strconv.Itoa(n), name, 1+n*7%50)
}

func details(id, name string, level int) users.Details {
	return users.Details{ID: id, Name: &name, Level: &level}
}

func givenNames() [20]string {
	return [...]string{
		"Ada", "Amir", "Bea", "Chen", "Dara", "Elif", "Finn", "Grace", "Hugo", "Ines",
		"Jonas", "Kofi", "Lena", "Mei", "Noor", "Otto", "Priya", "Rosa", "Sami", "Tomas",
	}
}

func familyNames() [20]string {
	return [...]string{
		"Abe", "Baker", "Costa", "Diaz", "Eriksen", "Fischer", "Garcia", "Haddad", "Ito", "Jansen",
		"Khan", "Lopez", "Mbeki", "Novak", "Okafor", "Park", "Rossi", "Silva", "Tanaka", "Weber",
	}
}
