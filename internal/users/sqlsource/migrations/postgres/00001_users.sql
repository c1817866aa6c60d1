-- +goose Up
-- No IF NOT EXISTS: a table of this name that Rollcall did not make is left alone.
CREATE TABLE users (
    id         text PRIMARY KEY CHECK (octet_length(id) BETWEEN 1 AND 128),
    name       text,
    avatar_url text,
    level      integer,
    updated_at timestamptz NOT NULL DEFAULT now()
);

-- +goose Down
DROP TABLE users;
