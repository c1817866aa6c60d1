package main

import (
	"fmt"
	"runtime/debug"
)

type versionCommand struct{}

// Run prints the version.
func (versionCommand) Run(out output) error {
	_, err := fmt.Fprintln(out.stdout, "rollcall", version())
	return err
}

// version is what the Go tool knows of the build: the tag, or the commit and
// whether its tree was clean.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown build)"
	}
	return fmt.Sprintf("%s %s", info.Main.Version, info.GoVersion)
}
