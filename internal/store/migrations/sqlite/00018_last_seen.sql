-- When a user was last seen with a session or an API key that is gone.

-- +goose Up
CREATE TABLE last_seen (
	user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
	at INTEGER NOT NULL
) STRICT;
-- A user who is deleted has no row any more when the sessions and keys are.
-- +goose StatementBegin
CREATE TRIGGER sessions_last_seen AFTER DELETE ON sessions BEGIN
	INSERT INTO last_seen (user_id, at)
	SELECT id, old.last_seen_at FROM users WHERE id = old.user_id
	ON CONFLICT (user_id) DO UPDATE SET at = excluded.at WHERE at < excluded.at;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER api_keys_last_seen AFTER DELETE ON api_keys WHEN old.last_used_at > 0 BEGIN
	INSERT INTO last_seen (user_id, at)
	SELECT id, old.last_used_at FROM users WHERE id = old.user_id
	ON CONFLICT (user_id) DO UPDATE SET at = excluded.at WHERE at < excluded.at;
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER api_keys_last_seen;
DROP TRIGGER sessions_last_seen;
DROP TABLE last_seen;
