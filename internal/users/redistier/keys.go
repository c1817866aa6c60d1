package redistier

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// userKey holds a user's entry or mark: a string.
func (t *Tier) userKey(id string) string { return t.prefix + ":user:" + id }

// loadKey is the lock of those who load this set of ids.
func (t *Tier) loadKey(ids []string) string {
	sorted := slices.Clone(ids)
	slices.Sort(sorted)
	sum := sha256.Sum256([]byte(strings.Join(sorted, "\x00"))) // no id holds a NUL
	return t.prefix + ":userload:" + hex.EncodeToString(sum[:16])
}

// channel carries the announcements.
func (t *Tier) channel() string { return t.prefix + ":users" }
