package redisstore

import (
	"encoding/hex"
	"fmt"
	"strings"
)

// Most devices are named by a UUID, whose 36 characters are the largest part of
// a session. A UUID in its usual spelling is packed into 16 bytes; everything
// else is kept as it is, behind a mark of its own.
const (
	packedUUID = 'u'
	plainText  = '='
)

func packDevice(id string) string {
	if raw, ok := parseUUID(id); ok {
		return string(packedUUID) + string(raw)
	}
	return string(plainText) + id
}

func unpackDevice(packed string) (string, error) {
	switch {
	case packed == "":
		return "", nil // no device: the user is offline
	case packed[0] == plainText:
		return packed[1:], nil
	case packed[0] == packedUUID && len(packed) == 17:
		h := hex.EncodeToString([]byte(packed[1:]))
		return strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-"), nil
	}
	return "", fmt.Errorf("unreadable device %q", packed)
}

// parseUUID takes lower-case UUIDs only, so that packing loses nothing.
func parseUUID(id string) ([]byte, bool) {
	if len(id) != 36 || id[8] != '-' || id[13] != '-' || id[18] != '-' || id[23] != '-' || id != strings.ToLower(id) {
		return nil, false
	}
	raw, err := hex.DecodeString(id[:8] + id[9:13] + id[14:18] + id[19:23] + id[24:])
	return raw, err == nil
}
