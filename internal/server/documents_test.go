package server

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"
)

func TestDocumentsAreBoundedByTheirText(t *testing.T) {
	d := newDocuments(10_000)
	parsed := &ast.QueryDocument{}
	d.Add(t.Context(), "{ who }", parsed)
	found, ok := d.Get(t.Context(), "{ who }")
	require.True(t, ok)
	require.Same(t, parsed, found)

	text := func(n int) string { return fmt.Sprintf("%d", n) + strings.Repeat(" ", 1000) }
	for n := range 100 {
		d.Add(t.Context(), text(n), parsed)
	}
	require.Eventually(t, func() bool {
		kept := 0
		for n := range 100 {
			if _, ok := d.Get(t.Context(), text(n)); ok {
				kept++
			}
		}
		return kept < 10
	}, patience, time.Millisecond)
}
