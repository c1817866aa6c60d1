package presence

// Order is how the list of online users is walked.
type Order string

// The orders. Equal activity is ordered by user id, byte by byte, equal level
// by activity and then by user id, all in the order's direction: each DESC is the
// exact reverse of its ASC, but for users without a level, who are last in both.
const (
	LastActiveDesc Order = "LAST_ACTIVE_DESC"
	LastActiveAsc  Order = "LAST_ACTIVE_ASC"
	LevelDesc      Order = "LEVEL_DESC"
	LevelAsc       Order = "LEVEL_ASC"
	// Unordered walks the whole list by incremental scan: a user online
	// throughout appears at least once, and a page may hold fewer or somewhat
	// more rows than asked for.
	Unordered Order = "UNORDERED"
)

// Descending reports whether the order runs from high to low.
func (o Order) Descending() bool { return o == LastActiveDesc || o == LevelDesc }

// ByLevel reports whether the order needs the level index.
func (o Order) ByLevel() bool { return o == LevelDesc || o == LevelAsc }

// Filter narrows the list. The zero Filter leaves everybody.
type Filter struct {
	// Status is Online, Away, or empty for both. Offline leaves nobody.
	Status Status
	// Levels leaves users with a level in this range; nil leaves everybody.
	Levels *LevelRange
}

// LevelRange is a range of levels, both ends included; Min > Max is empty.
type LevelRange struct{ Min, Max int }

// NewFilter makes a filter of optional bounds. Bounds beyond the levels that
// exist are brought into their range, as the levels themselves are.
func NewFilter(status Status, minLevel, maxLevel *int) Filter {
	f := Filter{Status: status}
	if minLevel != nil || maxLevel != nil {
		f.Levels = &LevelRange{Min: 0, Max: MaxLevel}
	}
	if minLevel != nil {
		f.Levels.Min = ClampLevel(minLevel)
	}
	if maxLevel != nil {
		f.Levels.Max = min(*maxLevel, MaxLevel)
	}
	if f.Levels != nil && f.Levels.Min > f.Levels.Max {
		f.Levels = &LevelRange{Min: 1, Max: 0} // one spelling of the empty range
	}
	return f
}

// Empty reports whether nobody can pass the filter.
func (f Filter) Empty() bool {
	return f.Status == Offline || (f.Levels != nil && f.Levels.Min > f.Levels.Max)
}

// Page limits.
const (
	DefaultFirst = 50
	MaxFirst     = 500
)

// PageRequest asks for a page of the list of online users.
type PageRequest struct {
	Order  Order
	Filter Filter
	First  int   // 0 to MaxFirst rows; 0 asks for the total alone
	After  *Mark // nil: from the start
}

// Check reports a request by level to a store that keeps no level index.
func (r PageRequest) Check(levelIndex bool) error {
	if (r.Order.ByLevel() || r.Filter.Levels != nil) && !levelIndex {
		return Invalid("the list is kept without levels (ROLLCALL_LEVEL_INDEX=false), so it can't be ordered or filtered by them")
	}
	return nil
}

// Mark is a place in the list under an order and a filter: right behind one
// row. It stays meaningful when that row moves or leaves.
type Mark struct {
	UserID       string
	LastActiveAt Millis
	Level        int // for orders by level
	Scan         Scan
}

// Scan is where an unordered walk stands; its meaning is the store's.
type Scan struct {
	Shards int // that the store had then
	Shard  int
	Cursor uint64
}

// Row is one online user in a page.
type Row struct {
	UserID       string
	LastActiveAt Millis
	Status       Status // at the time of the page
	// After is the place behind this row. In an unordered walk only the last
	// row's is exact, any other may lie before rows of the same page.
	After Mark
}

// Page is one page of the list, as it was at one moment of each shard.
type Page struct {
	Rows        []Row
	HasNext     bool // more rows follow; in an unordered walk: the walk isn't over
	HasPrevious bool // rows precede; in an unordered walk: After was given
	// End is the place behind the page. An unordered walk may return no rows
	// and still go on from here; otherwise it is the last row's After, and nil without rows.
	End *Mark
	// Total is the number of users whom the filter leaves.
	Total int
}
