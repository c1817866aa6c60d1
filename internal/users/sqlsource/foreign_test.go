package sqlsource

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"rollcall/internal/users"
)

// members makes a table that Rollcall did not make, through a source over the
// same database, and returns that source for changing it.
func members(t *testing.T, url string, create ...string) *Source {
	t.Helper()
	owner := open(t, Config{URL: url})
	exec(t, owner, create...)
	return owner
}

// byDatabase picks the SQL of a database's dialect.
func byDatabase(db database, postgres, sqlite string) string {
	if db.postgres {
		return postgres
	}
	return sqlite
}

func TestForeignTableWithItsOwnNamesAndTypes(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db database, url string) {
		owner := members(t, url,
			`CREATE TABLE members (member_no int PRIMARY KEY, nick text, xp numeric(9,2), picture text, password text)`,
			`INSERT INTO members VALUES (1, 'Ann', 12.75, '/1.png', 'x'), (2, NULL, NULL, NULL, 'x')`)
		s := open(t, Config{URL: url, Query: byDatabase(db,
			`SELECT password, xp AS "LEVEL", nick AS name, member_no AS id, picture AS avatar_url
				FROM members WHERE member_no::text = ANY($1)`,
			`SELECT password, xp AS "LEVEL", nick AS name, member_no AS id, picture AS avatar_url
				FROM members WHERE member_no IN (SELECT value FROM json_each(?))`)})
		require.NoError(t, s.Check(t.Context()))

		got, err := s.Load(t.Context(), []string{"1", "2", "3", "ann"})
		require.NoError(t, err)
		require.Equal(t, map[string]users.Details{
			"1": {ID: "1", Name: ptr("Ann"), AvatarURL: ptr("/1.png"), Level: ptr(12)},
			"2": {ID: "2"},
		}, got)

		require.ErrorIs(t, s.Migrate(t.Context()), ErrForeign)
		_, err = s.Seed(t.Context(), 1, nil)
		require.ErrorIs(t, err, ErrForeign)
		var n int
		require.NoError(t, owner.db.QueryRow(`SELECT count(*) FROM members`).Scan(&n))
		require.Equal(t, 2, n)
	})
}

func TestForeignTableOfIDsOnly(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db database, url string) {
		members(t, url, `CREATE TABLE m (k text)`, `INSERT INTO m VALUES ('a')`)
		s := open(t, Config{URL: url, Query: byDatabase(db,
			`SELECT k AS id FROM m WHERE k = ANY($1)`,
			`SELECT k AS id FROM m WHERE k IN (SELECT value FROM json_each(?))`)})
		require.NoError(t, s.Check(t.Context()))
		got, err := s.Load(t.Context(), []string{"a", "b"})
		require.NoError(t, err)
		require.Equal(t, map[string]users.Details{"a": {ID: "a"}}, got)
	})
}

func TestUUIDsOnPostgres(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db database, url string) {
		if !db.postgres {
			return // SQLite has no such type
		}
		const id = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
		members(t, url, `CREATE TABLE m (k uuid, level bigint, f float8)`, `INSERT INTO m VALUES ('`+id+`', 3, 4.5)`)
		for _, query := range []string{
			`SELECT k AS id, level FROM m WHERE k::text = ANY($1)`,
			`SELECT k::text AS id, f - 1.5 AS level FROM m WHERE k::text = ANY($1)`,
		} {
			s := open(t, Config{URL: url, Query: query})
			require.NoError(t, s.Check(t.Context()))
			got, err := s.Load(t.Context(), []string{id, "no uuid"})
			require.NoError(t, err)
			require.Equal(t, map[string]users.Details{id: {ID: id, Level: ptr(3)}}, got)
		}
	})
}

func TestCheckTellsWhatIsWrongWithAQuery(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db database, url string) {
		members(t, url, `CREATE TABLE m (k text, n text)`, `INSERT INTO m VALUES ('a', 'A')`)
		where := byDatabase(db, ` WHERE k = ANY($1)`, ` WHERE k IN (SELECT value FROM json_each(?))`)
		for query, want := range map[string]string{
			`SELECT k, n AS name FROM m` + where:                             "no column id, only k, name",
			`SELECT k AS id FROM nowhere` + where:                            "nowhere",
			`SELEC k AS id FROM m` + where:                                   "SELEC",
			`SELECT k AS id FROM m WHERE k = 'a' OR` + where[len(" WHERE"):]: "not asked for",
		} {
			err := open(t, Config{URL: url, Query: query}).Check(t.Context())
			var unfit *QueryError
			require.ErrorAs(t, err, &unfit, query)
			require.ErrorContains(t, err, want)
			require.NotErrorIs(t, err, users.ErrUnavailable)
		}
	})
}

func TestQueryWithoutParameterIsRefused(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, _ database, url string) {
		members(t, url, `CREATE TABLE m (id text)`, `INSERT INTO m VALUES ('a')`)
		err := open(t, Config{URL: url, Query: `SELECT id FROM m`}).Check(t.Context())
		var unfit *QueryError
		require.ErrorAs(t, err, &unfit)
		require.ErrorContains(t, err, "parameter")
	})
}

func TestUnreadableRowCostsOnlyItself(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db database, url string) {
		members(t, url, `CREATE TABLE m (k text, l text)`,
			`INSERT INTO m VALUES ('good', '3'), ('bad', 'many'), ('big', '4294967296')`)
		s := open(t, Config{URL: url, Query: byDatabase(db,
			`SELECT k AS id, l AS level FROM m WHERE k = ANY($1)`,
			`SELECT k AS id, l AS level FROM m WHERE k IN (SELECT value FROM json_each(?))`)})

		got, err := s.Load(t.Context(), []string{"good", "bad"})
		require.Equal(t, map[string]users.Details{"good": {ID: "good", Level: ptr(3)}}, got)
		var unreadable *ValueError
		require.ErrorAs(t, err, &unreadable)
		require.Equal(t, "bad", unreadable.ID)
		require.Equal(t, "level", unreadable.Column)
		require.NotErrorIs(t, err, users.ErrUnavailable)
		require.NotContains(t, err.Error(), "many", "values are not repeated")

		_, err = s.Load(t.Context(), []string{"big"})
		require.ErrorContains(t, err, "32 bits")
	})
}

func TestForeignSQLiteIsNeitherCreatedNorConverted(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "absent.db")
	query := `SELECT k AS id FROM m WHERE k IN (SELECT value FROM json_each(?))`
	s := open(t, Config{URL: "sqlite:" + path, Query: query})
	require.ErrorIs(t, s.Check(t.Context()), users.ErrUnavailable)
	require.NoFileExists(t, path)
}

func TestReadingValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value any
		want  int
	}{
		{int64(5), 5}, {5.9, 5}, {-5.9, -5}, {"5", 5}, {" 5.50 ", 5}, {[]byte("7"), 7}, {"1e3", 1000},
	} {
		level, problem := readLevel(c.value)
		require.Empty(t, problem)
		require.Equal(t, c.want, *level)
	}
	for _, bad := range []any{"", "x", "NaN", "Inf", 1e10, true, int64(1) << 40} {
		_, problem := readLevel(bad)
		require.NotEmpty(t, problem, "%v", bad)
	}
	for _, bad := range []any{nil, true, 1.5, []byte{0xff}} {
		_, problem := readID(bad)
		require.NotEmpty(t, problem, "%v", bad)
	}
	id, problem := readID([]byte("ü"))
	require.Empty(t, problem)
	require.Equal(t, "ü", id)
}
