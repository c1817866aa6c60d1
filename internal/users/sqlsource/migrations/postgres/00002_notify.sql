-- +goose Up
-- Every change of a row is told to the nodes, which drop what they cached of that user.

-- +goose StatementBegin
CREATE FUNCTION rollcall_users_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        PERFORM pg_notify('rollcall_users', OLD.id);
    END IF;
    IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND NEW.id <> OLD.id) THEN
        PERFORM pg_notify('rollcall_users', NEW.id);
    END IF;
    RETURN NULL;
END;
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION rollcall_users_touch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.updated_at := now();
    RETURN NEW;
END;
$$;
-- +goose StatementEnd

CREATE TRIGGER users_notify AFTER INSERT OR UPDATE OR DELETE ON users
    FOR EACH ROW EXECUTE FUNCTION rollcall_users_changed();
CREATE TRIGGER users_touch BEFORE UPDATE ON users
    FOR EACH ROW EXECUTE FUNCTION rollcall_users_touch();

-- +goose Down
DROP TRIGGER users_touch ON users;
DROP TRIGGER users_notify ON users;
DROP FUNCTION rollcall_users_touch();
DROP FUNCTION rollcall_users_changed();
