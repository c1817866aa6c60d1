package archtest

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The most lines of a file that people read.
const (
	maxLines     = 600
	maxTestLines = 800
)

// made are folders of what is built or installed.
var made = []string{".git", ".tools", "artifacts", "bin", "data", "dist", "node_modules"}

// source calls visit with each file that people wrote, by its path in the
// repository.
func source(t *testing.T, visit func(path string, content []byte)) {
	t.Helper()
	root := os.DirFS(filepath.Join("..", ".."))
	err := fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains(made, entry.Name()):
			return fs.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		content, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		if !bytes.HasPrefix(content, []byte("// Code generated ")) {
			visit(path, content)
		}
		return nil
	})
	require.NoError(t, err)
}

func TestFilesAreShort(t *testing.T) {
	code := []string{".css", ".go", ".lua", ".mjs", ".sh", ".sql", ".ts", ".tsx"}
	source(t, func(path string, content []byte) {
		if !slices.Contains(code, filepath.Ext(path)) {
			return
		}
		most := maxLines
		if strings.HasSuffix(path, "_test.go") || strings.Contains(path, ".test.") {
			most = maxTestLines
		}
		if lines := bytes.Count(content, []byte("\n")); lines > most {
			t.Errorf("%s has %d lines; %d are the most", path, lines, most)
		}
	})
}

// Where packages come from is the setting of a machine, not of the project.
func TestNoRegistryIsNamed(t *testing.T) {
	hosts := []string{"registry.npmjs" + ".org", "proxy.golang" + ".org", "deb.debian" + ".org", "sum.golang" + ".org"}
	source(t, func(path string, content []byte) {
		for _, host := range hosts {
			if bytes.Contains(content, []byte(host)) {
				t.Errorf("%s names %s", path, host)
			}
		}
	})
}

// References to what is not in the repository lead nowhere, and those to what is must be right.
func TestReferencesLeadSomewhere(t *testing.T) {
	cases, err := os.ReadFile(filepath.Join("..", "..", "docs", "cases.md"))
	require.NoError(t, err)
	nowhere := regexp.MustCompile(`(?i)\bDESIGN(\.md)?,? section|\bthe issue's\b|\bissue #?\d|\bCASES? \d+(?:[:,.;]| \w)`)
	known := regexp.MustCompile(`(?i)\bcase (\d+) \(docs/cases\.md\)`)
	source(t, func(path string, content []byte) {
		if ext := filepath.Ext(path); ext != ".go" && ext != ".lua" && ext != ".md" && ext != ".mjs" && ext != ".ts" {
			return
		}
		for line := range bytes.Lines(content) {
			comment := line
			if filepath.Ext(path) == ".go" { // where code has cases of its own
				_, comment, _ = bytes.Cut(line, []byte("//"))
			}
			if nowhere.Match(known.ReplaceAll(comment, nil)) && path != "docs/cases.md" {
				t.Errorf("%s: %s", path, bytes.TrimSpace(line))
			}
			for _, found := range known.FindAllSubmatch(comment, -1) {
				if !bytes.Contains(cases, []byte("\n"+string(found[1])+". ")) {
					t.Errorf("%s: there is no case %s", path, found[1])
				}
			}
		}
	})
}

// The table of what a client is told of an error is one: no other file spells the codes.
func TestErrorCodesAreSpelledInTheirTable(t *testing.T) {
	codes := regexp.MustCompile(`"(UNAUTHENTICATED|FORBIDDEN|BAD_USER_INPUT|SESSION_REPLACED|SESSION_ENDED|RATE_LIMITED|UNAVAILABLE|INTERNAL)\\?"`)
	source(t, func(path string, content []byte) {
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || path == "resolvers/errors.go" {
			return
		}
		if code := codes.Find(content); code != nil {
			t.Errorf("%s spells %s; resolvers/errors.go is the table", path, code)
		}
	})
}
