package presence

import (
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"slices"
)

// EventID names an entry in a shard's event log. Ids grow within a log, and a
// log begun anew (see [Log]) never uses one again.
type EventID struct {
	Ms  uint64 // the store's clock when the entry was written, in milliseconds
	Seq uint64 // among the entries of that millisecond
}

// Compare orders ids of one log.
func (a EventID) Compare(b EventID) int {
	switch {
	case a == b:
		return 0
	case a.Ms < b.Ms || (a.Ms == b.Ms && a.Seq < b.Seq):
		return -1
	}
	return 1
}

// Position is a place in every shard's event log: by shard, the last entry
// before it.
type Position []EventID

// Clone is a copy of p.
func (p Position) Clone() Position { return slices.Clone(p) }

// Later is, shard by shard, the later of p and q; q may be nil, which is no place.
func (p Position) Later(q Position) Position {
	if q == nil {
		return p
	}
	later := p.Clone()
	for shard, id := range q {
		if id.Compare(p[shard]) > 0 {
			later[shard] = id
		}
	}
	return later
}

// Reaches reports whether p is as late as q or later in every shard; q may be nil.
func (p Position) Reaches(q Position) bool {
	for shard, id := range q {
		if p[shard].Compare(id) < 0 {
			return false
		}
	}
	return true
}

const positionVersion = 1

var errPosition = Invalid("the since cursor is malformed")

// maxPositionLen is no less than what the longest cursor has.
const maxPositionLen = 64 + 32*MaxShards

// Cursor is p as an opaque string: in unpadded base64url the version, the
// number of shards, for each shard varints of the milliseconds (the
// first whole, each other as the difference to the one before) and the
// sequence, and a CRC-32.
func (p Position) Cursor() string {
	buf := make([]byte, 0, 8+6*len(p))
	buf = append(buf, positionVersion)
	buf = binary.AppendUvarint(buf, uint64(len(p)))
	var before uint64
	for _, id := range p {
		buf = binary.AppendVarint(buf, int64(id.Ms-before))
		buf = binary.AppendUvarint(buf, id.Seq)
		before = id.Ms
	}
	buf = binary.BigEndian.AppendUint32(buf, crc32.ChecksumIEEE(buf))
	return base64.RawURLEncoding.EncodeToString(buf)
}

// ParsePosition is the position that cursor names, of as many shards as the store
// had when it was made. A cursor that is malformed or of another version is an
// [InvalidError].
func ParsePosition(cursor string) (Position, error) {
	if len(cursor) > maxPositionLen {
		return nil, errPosition
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(raw) < 1+crc32.Size || raw[0] != positionVersion ||
		base64.RawURLEncoding.EncodedLen(len(raw)) != len(cursor) { // it skips line breaks
		return nil, errPosition
	}
	body, sum := raw[:len(raw)-crc32.Size], raw[len(raw)-crc32.Size:]
	if binary.BigEndian.Uint32(sum) != crc32.ChecksumIEEE(body) {
		return nil, errPosition
	}
	r := varintReader{rest: body[1:]}
	shards := r.unsigned(MaxShards)
	if CheckShards(int(shards)) != nil {
		return nil, errPosition
	}
	p := make(Position, shards)
	var before int64
	for i := range p {
		before += r.signed(-int64(maxMillis), int64(maxMillis))
		if before < 0 {
			return nil, errPosition
		}
		p[i] = EventID{Ms: uint64(before), Seq: r.unsigned(1<<63 - 1)}
	}
	if r.bad || len(r.rest) != 0 {
		return nil, errPosition
	}
	return p, nil
}
