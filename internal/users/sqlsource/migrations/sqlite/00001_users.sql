-- +goose Up
-- No IF NOT EXISTS: a table of this name that Rollcall did not make is left alone.
CREATE TABLE users (
    id         TEXT PRIMARY KEY CHECK (length(CAST(id AS BLOB)) BETWEEN 1 AND 128),
    name       TEXT,
    avatar_url TEXT,
    level      INTEGER,
    updated_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
) STRICT, WITHOUT ROWID;

-- +goose StatementBegin
CREATE TRIGGER users_updated_at AFTER UPDATE OF name, avatar_url, level ON users
BEGIN
    UPDATE users SET updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE id = NEW.id;
END;
-- +goose StatementEnd

-- +goose Down
DROP TABLE users;
