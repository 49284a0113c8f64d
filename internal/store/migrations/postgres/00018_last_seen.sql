-- When a user was last seen with a session or an API key that is gone.

-- +goose Up
CREATE TABLE last_seen (
	user_id BIGINT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
	at BIGINT NOT NULL
);
-- A user who is deleted has no row any more when the sessions and keys are.
-- +goose StatementBegin
CREATE FUNCTION session_last_seen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO last_seen AS l (user_id, at)
	SELECT id, OLD.last_seen_at FROM users WHERE id = OLD.user_id
	ON CONFLICT (user_id) DO UPDATE SET at = excluded.at WHERE l.at < excluded.at;
	RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION api_key_last_seen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO last_seen AS l (user_id, at)
	SELECT id, OLD.last_used_at FROM users WHERE id = OLD.user_id
	ON CONFLICT (user_id) DO UPDATE SET at = excluded.at WHERE l.at < excluded.at;
	RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER sessions_last_seen AFTER DELETE ON sessions FOR EACH ROW EXECUTE FUNCTION session_last_seen();
CREATE TRIGGER api_keys_last_seen AFTER DELETE ON api_keys FOR EACH ROW WHEN (OLD.last_used_at > 0) EXECUTE FUNCTION api_key_last_seen();

-- +goose Down
DROP TRIGGER api_keys_last_seen ON api_keys;
DROP TRIGGER sessions_last_seen ON sessions;
DROP FUNCTION api_key_last_seen, session_last_seen;
DROP TABLE last_seen;
