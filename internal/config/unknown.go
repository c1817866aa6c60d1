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

// nearEnough is how many letters a misspelt name may differ by for another to
// be taken for what was meant.
const nearEnough = 3

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
	best, least := "", nearEnough+1
	for _, n := range names {
		if d := levenshtein.ComputeDistance(name, n); d < least {
			best, least = n, d
		}
	}
	return best
}
