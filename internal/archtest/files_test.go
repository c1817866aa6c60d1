package archtest

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
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
