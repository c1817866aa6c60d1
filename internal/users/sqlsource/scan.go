package sqlsource

import (
	"database/sql"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"rollcall/internal/users"
)

// scanner turns rows into details, finding columns by name and reading
// whatever type the driver gives them.
type scanner struct {
	rows   *sql.Rows
	values []any
	into   []any // pointers to values

	id, name, avatarURL, level int // positions; -1: not selected
}

func newScanner(rows *sql.Rows) (*scanner, error) {
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	position := func(name string) int {
		for i, c := range columns {
			if strings.EqualFold(c, name) {
				return i
			}
		}
		return -1
	}
	s := &scanner{
		rows:      rows,
		values:    make([]any, len(columns)),
		into:      make([]any, len(columns)),
		id:        position("id"),
		name:      position("name"),
		avatarURL: position("avatar_url"),
		level:     position("level"),
	}
	if s.id < 0 {
		return nil, &QueryError{Reason: fmt.Sprintf(
			"the result has no column id, only %s; select the user's id with AS id", strings.Join(columns, ", "))}
	}
	for i := range s.values {
		s.into[i] = &s.values[i]
	}
	return s, nil
}

// row reads the current row. A *ValueError leaves the scanner usable.
func (s *scanner) row() (users.Details, error) {
	if err := s.rows.Scan(s.into...); err != nil {
		return users.Details{}, err
	}
	id, problem := readID(s.values[s.id])
	if problem != "" {
		return users.Details{}, &ValueError{Column: "id", Problem: problem}
	}
	u := users.Details{ID: id}
	if u.Name, problem = readText(s.at(s.name)); problem != "" {
		return users.Details{}, &ValueError{ID: id, Column: "name", Problem: problem}
	}
	if u.AvatarURL, problem = readText(s.at(s.avatarURL)); problem != "" {
		return users.Details{}, &ValueError{ID: id, Column: "avatar_url", Problem: problem}
	}
	if u.Level, problem = readLevel(s.at(s.level)); problem != "" {
		return users.Details{}, &ValueError{ID: id, Column: "level", Problem: problem}
	}
	return u, nil
}

func (s *scanner) at(position int) any {
	if position < 0 {
		return nil
	}
	return s.values[position]
}

func readID(v any) (id, problem string) {
	if n, ok := v.(int64); ok {
		return strconv.FormatInt(n, 10), ""
	}
	text, problem := readText(v)
	if problem == "" && text == nil {
		problem = "is null"
	}
	if problem != "" {
		return "", problem
	}
	return *text, ""
}

func readText(v any) (text *string, problem string) {
	var s string
	switch v := v.(type) {
	case nil:
		return nil, ""
	case string:
		s = v
	case []byte:
		s = string(v)
	default:
		return nil, fmt.Sprintf("is not text but %T", v)
	}
	if !utf8.ValidString(s) {
		return nil, "is not valid UTF-8"
	}
	return &s, ""
}

// readLevel accepts integers, floats, and numerics, which drivers give as
// text. A fraction is cut off.
func readLevel(v any) (level *int, problem string) {
	var f float64
	switch v := v.(type) {
	case nil:
		return nil, ""
	case int64:
		f = float64(v)
	case float64:
		f = v
	case string:
		return parseLevel(v)
	case []byte:
		return parseLevel(string(v))
	default:
		return nil, fmt.Sprintf("is not a number but %T", v)
	}
	return boundLevel(f)
}

func parseLevel(s string) (level *int, problem string) {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil {
		return nil, "is text that is not a number"
	}
	return boundLevel(f)
}

// boundLevel keeps to GraphQL's Int, which has 32 bits.
func boundLevel(f float64) (level *int, problem string) {
	f = math.Trunc(f)
	if !(f >= math.MinInt32 && f <= math.MaxInt32) { // written so that NaN fails
		return nil, "is not a number of 32 bits"
	}
	n := int(f)
	return &n, ""
}
