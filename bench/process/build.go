package process

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed profile/endpoint.go.txt
var profileEndpoint []byte

// ProfileVariable names the address on which a profiled Rollcall serves its profiles.
const ProfileVariable = "BENCH_PROFILE_ADDR"

// BuildRollcall builds the server from the working copy that the benchmarks are part of,
// and returns its path. A profiled one serves net/http/pprof besides.
func BuildRollcall(ctx context.Context, dir string, profiled bool) (string, error) {
	found, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "rollcall").Output()
	if err != nil {
		return "", fmt.Errorf("run it inside of bench/: go list: %w", err)
	}
	root, path := strings.TrimSpace(string(found)), filepath.Join(dir, "rollcall")
	args := []string{"build", "-o", path}
	if profiled {
		overlay, err := overlay(dir, root)
		if err != nil {
			return "", err
		}
		args = append(args, "-overlay", overlay)
	}
	build := exec.CommandContext(ctx, "go", append(args, ".")...) // #nosec G204 -- the paths are ours
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
}

// overlay adds the endpoint to the server's package main, for one build.
func overlay(dir, root string) (string, error) {
	source, list := filepath.Join(dir, "endpoint.go"), filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(source, profileEndpoint, 0o600); err != nil {
		return "", err
	}
	content, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(root, "profile_endpoint.go"): source,
	}})
	if err != nil {
		return "", err
	}
	return list, os.WriteFile(list, content, 0o600)
}
