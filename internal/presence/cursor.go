package presence

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
)

// A page cursor is, in unpadded base64url:
//
//	version, order, filter    what it is bound to
//	level, lastActive, scan   varints: full precision
//	user id                   the rest
//	CRC-32                    4 bytes, against truncation and typing errors
//
// Anybody can make one: it names a place in a public list and grants nothing.
const cursorVersion = 2

const maxCursorLen = 512

var cursorEncoding = base64.RawURLEncoding.Strict()

var errCursor = Invalid("the cursor is malformed, or of another order or filter")

// EncodeCursor makes the cursor of a place in the list under order and filter.
func EncodeCursor(order Order, filter Filter, m Mark) string {
	buf := cursorBinding(order, filter)
	buf = binary.AppendVarint(buf, int64(m.Level))
	buf = binary.AppendVarint(buf, int64(m.LastActiveAt))
	buf = binary.AppendUvarint(buf, uint64(m.Scan.Shards))
	buf = binary.AppendUvarint(buf, uint64(m.Scan.Shard))
	buf = binary.AppendUvarint(buf, m.Scan.Cursor)
	buf = append(buf, m.UserID...)
	buf = binary.BigEndian.AppendUint32(buf, crc32.ChecksumIEEE(buf))
	return cursorEncoding.EncodeToString(buf)
}

// DecodeCursor is the place that cursor names. A cursor that is malformed, of
// another version, order or filter is an [InvalidError].
func DecodeCursor(cursor string, order Order, filter Filter) (*Mark, error) {
	if len(cursor) > maxCursorLen {
		return nil, errCursor
	}
	raw, err := cursorEncoding.DecodeString(cursor)
	if err != nil || len(raw) < crc32.Size || cursorEncoding.EncodedLen(len(raw)) != len(cursor) { // it skips line breaks
		return nil, errCursor
	}
	body, sum := raw[:len(raw)-crc32.Size], raw[len(raw)-crc32.Size:]
	if binary.BigEndian.Uint32(sum) != crc32.ChecksumIEEE(body) {
		return nil, errCursor
	}
	rest, ok := bytes.CutPrefix(body, cursorBinding(order, filter))
	if !ok {
		return nil, errCursor
	}
	r := varintReader{rest: rest}
	m := &Mark{
		Level:        int(r.signed(NoLevel, MaxLevel)),
		LastActiveAt: Millis(r.signed(0, int64(maxMillis))),
		Scan: Scan{
			Shards: int(r.unsigned(MaxShards)), Shard: int(r.unsigned(MaxShards)), Cursor: r.unsigned(1<<64 - 1),
		},
	}
	m.UserID = string(r.rest)
	// An unordered walk may stand where there is no user.
	if r.bad || (m.UserID != "" || order != Unordered) && CheckUserID(m.UserID) != nil {
		return nil, errCursor
	}
	return m, nil
}

// maxMillis is the latest time whose composite score is exact; see [MaxLevel].
const maxMillis = Millis(LevelUnit - 1)

func cursorBinding(order Order, f Filter) []byte {
	buf := make([]byte, 0, 64)
	buf = append(buf, cursorVersion)
	buf = append(buf, order...)
	buf = append(buf, 0)
	buf = append(buf, f.Status...)
	buf = append(buf, 0)
	if f.Levels == nil {
		return append(buf, 0)
	}
	buf = append(buf, 1)
	buf = binary.AppendVarint(buf, int64(f.Levels.Min))
	return binary.AppendVarint(buf, int64(f.Levels.Max))
}

// varintReader reads bounded varints and remembers whether any was bad.
type varintReader struct {
	rest []byte
	bad  bool
}

func (r *varintReader) signed(least, most int64) int64 {
	v, n := binary.Varint(r.rest)
	if n <= 0 || v < least || v > most {
		r.bad = true
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *varintReader) unsigned(most uint64) uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 || v > most {
		r.bad = true
		return 0
	}
	r.rest = r.rest[n:]
	return v
}
