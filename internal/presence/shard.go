package presence

// MaxShards bounds the number of shards.
const MaxShards = 256

// CheckShards reports whether n is a possible number of shards: a power of two
// from 1 to MaxShards, so that resharding only splits or joins shards.
func CheckShards(n int) error {
	if n < 1 || n > MaxShards || n&(n-1) != 0 {
		return Invalid("the number of shards is %d; it must be a power of two from 1 to %d", n, MaxShards)
	}
	return nil
}

// Hash spreads user ids evenly over shards and over whatever a store divides a
// shard into. It never changes: stored data is laid out by it. FNV-1a with
// the finaliser of MurmurHash3, since FNV alone leaves the high bits of short
// ids poor.
func Hash(userID string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(userID) {
		h ^= uint64(userID[i])
		h *= 1099511628211
	}
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	h ^= h >> 33
	return h
}

// Shard is the shard of a user among n: the low bits of the hash, so that
// doubling n splits each shard in two.
func Shard(userID string, n int) int { return int(Hash(userID) & uint64(n-1)) }
