package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// envPrefix begins the name of every variable.
const envPrefix = "ROLLCALL_"

// A misspelt name differs from what was meant by few letters, and by at most half
// of its own: ROLLCALL_DB is three letters from ROLLCALL_TTL and not a bit like it.
const (
	mostLetters = 3
	mostShare   = 2 // one letter in so many
)

// Unknown lists, in words, the variables of environ (as [os.Environ] gives it)
// that look like Rollcall's and are none: a misspelt one would otherwise leave
// its default in force without a word. Values are not shown.
func Unknown(environ []string) []string {
	known := namesOf(reflect.TypeFor[Config]())
	var unknown []string
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, envPrefix) || slices.Contains(known, name) {
			continue
		}
		report := name + " is not known"
		if meant := nearest(name, known); meant != "" {
			report += fmt.Sprintf("; did you mean %s?", meant)
		}
		unknown = append(unknown, report)
	}
	slices.Sort(unknown)
	return unknown
}

// namesOf are the variables of a configuration struct, by their tags.
func namesOf(t reflect.Type) []string {
	var names []string
	for field := range t.Fields() {
		if name, ok := field.Tag.Lookup("env"); ok {
			names = append(names, name)
		} else if field.Type.Kind() == reflect.Struct {
			names = append(names, namesOf(field.Type)...)
		}
	}
	return names
}

// nearest is the name most like this one, or none if all differ much.
func nearest(name string, names []string) string {
	best, least := "", 1+min(mostLetters, len(strings.TrimPrefix(name, envPrefix))/mostShare)
	for _, n := range names {
		if d := levenshtein.ComputeDistance(name, n); d < least {
			best, least = n, d
		}
	}
	return best
}
