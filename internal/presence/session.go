package presence

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
)

// Epoch orders the sign-ins of one user; see the package comment.
type Epoch int64

// MaxEpoch is the largest epoch a store keeps exactly (as a double).
const MaxEpoch Epoch = 1 << 53

// A session token is, in unpadded base64url:
//
//	version  1 byte
//	epoch    8 bytes, big endian
//	checksum 8 bytes of SHA-256(version, epoch, user id, 0, device id)
//
// The checksum binds the token to its user and device so that a mix-up is
// noticed. It is no signature: the caller is authenticated by other means, and
// an epoch of one's own making ends nobody's session but one's own.
const (
	tokenVersion  = 1
	tokenHead     = 1 + 8
	tokenChecksum = 8
	tokenLen      = tokenHead + tokenChecksum
)

// Strict, so that a token has one spelling.
var tokenEncoding = base64.RawURLEncoding.Strict()

// SessionToken is the token of a user's session on a device.
func SessionToken(userID, deviceID string, epoch Epoch) string {
	raw := make([]byte, tokenHead, tokenLen)
	raw[0] = tokenVersion
	binary.BigEndian.PutUint64(raw[1:], uint64(epoch))
	sum := tokenSum(raw, userID, deviceID)
	return tokenEncoding.EncodeToString(append(raw, sum[:]...))
}

// ParseSessionToken is the epoch that token carries. A token that is malformed
// or of another user or device is an [InvalidError].
func ParseSessionToken(token, userID, deviceID string) (Epoch, error) {
	if len(token) != tokenEncoding.EncodedLen(tokenLen) {
		return 0, errToken
	}
	raw, err := tokenEncoding.DecodeString(token)
	if err != nil || len(raw) != tokenLen || raw[0] != tokenVersion { // line breaks are skipped in decoding
		return 0, errToken
	}
	if tokenSum(raw[:tokenHead], userID, deviceID) != [tokenChecksum]byte(raw[tokenHead:]) {
		return 0, errToken
	}
	epoch := binary.BigEndian.Uint64(raw[1:])
	if epoch == 0 || epoch > uint64(MaxEpoch) {
		return 0, errToken
	}
	return Epoch(epoch), nil
}

var errToken = Invalid("the session token is malformed, or of another user or device")

func tokenSum(head []byte, userID, deviceID string) (sum [tokenChecksum]byte) {
	buf := make([]byte, 0, 256)
	buf = append(buf, head...)
	buf = append(buf, userID...)
	buf = append(buf, 0)
	buf = append(buf, deviceID...)
	full := sha256.Sum256(buf)
	copy(sum[:], full[:])
	return sum
}
