-- What a person needs to use the pages: sessions, settings, invitations, new passwords.
--
-- A column hash has the SHA-256 hash of a random secret of 256 bits.

-- +goose Up

-- How the pages look for the user. An empty text or 0 is the default.
ALTER TABLE users ADD COLUMN language TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN time_zone TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN theme TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN link_view TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN links_per_page INTEGER NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN new_tab BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE users ADD COLUMN hide_descriptions BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE users ADD COLUMN no_shortcuts BOOLEAN NOT NULL DEFAULT FALSE;

CREATE TABLE sessions (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user_id      INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	hash         TEXT    NOT NULL UNIQUE,
	persistent   BOOLEAN NOT NULL, -- the user asked to stay signed in
	created_at   INTEGER NOT NULL,
	last_seen_at INTEGER NOT NULL,
	expires_at   INTEGER NOT NULL, -- at the latest: it ends earlier if it is not used
	browser      TEXT    NOT NULL, -- the User-Agent header
	address      TEXT    NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id);

-- One-time tokens with which a new user creates an account. setup is that of the first
-- user, valid as long as there is no user.
CREATE TABLE invitations (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	hash       TEXT    NOT NULL UNIQUE,
	name       TEXT    NOT NULL,
	admin      BOOLEAN NOT NULL,
	setup      BOOLEAN NOT NULL,
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL
);

-- One-time tokens with which a user sets a new password.
CREATE TABLE password_resets (
	user_id    INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
	hash       TEXT    NOT NULL UNIQUE,
	expires_at INTEGER NOT NULL
);

-- The tokens in the addresses of a user's feeds. They are not hashed, since the pages show
-- these addresses again.
CREATE TABLE feed_tokens (
	user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
	token   TEXT    NOT NULL UNIQUE
);

-- API keys that were revoked a minute ago at most, so that it can be undone.
CREATE TABLE revoked_api_keys (
	id           INTEGER PRIMARY KEY,
	user_id      INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	name         TEXT    NOT NULL,
	hash         TEXT    NOT NULL,
	access       TEXT    NOT NULL,
	created_at   INTEGER NOT NULL,
	last_used_at INTEGER NOT NULL,
	expires_at   INTEGER NOT NULL,
	revoked_at   INTEGER NOT NULL
);

-- The counters are per owner, and an entity can get another owner.
DROP TRIGGER links_visibility_changed;
DROP TRIGGER lists_visibility_changed;
DROP TRIGGER tags_visibility_changed;
-- +goose StatementBegin
CREATE TRIGGER links_scope_changed AFTER UPDATE ON links WHEN new.visible_to IS NOT old.visible_to OR new.user_id <> old.user_id BEGIN
	UPDATE counters SET count = count - 1 WHERE entity = 'links' AND visible_to = old.visible_to AND user_id = old.user_id;
	INSERT INTO counters SELECT 'links', new.visible_to, new.user_id, 1 WHERE new.visible_to IS NOT NULL ON CONFLICT DO UPDATE SET count = count + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER lists_scope_changed AFTER UPDATE ON lists WHEN new.visible_to IS NOT old.visible_to OR new.user_id <> old.user_id BEGIN
	UPDATE counters SET count = count - 1 WHERE entity = 'lists' AND visible_to = old.visible_to AND user_id = old.user_id;
	INSERT INTO counters SELECT 'lists', new.visible_to, new.user_id, 1 WHERE new.visible_to IS NOT NULL ON CONFLICT DO UPDATE SET count = count + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tags_scope_changed AFTER UPDATE ON tags WHEN new.visible_to IS NOT old.visible_to OR new.user_id <> old.user_id BEGIN
	UPDATE counters SET count = count - 1 WHERE entity = 'tags' AND visible_to = old.visible_to AND user_id = old.user_id;
	INSERT INTO counters SELECT 'tags', new.visible_to, new.user_id, 1 WHERE new.visible_to IS NOT NULL ON CONFLICT DO UPDATE SET count = count + 1;
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER links_scope_changed;
DROP TRIGGER lists_scope_changed;
DROP TRIGGER tags_scope_changed;
-- +goose StatementBegin
CREATE TRIGGER links_visibility_changed AFTER UPDATE ON links WHEN new.visible_to IS NOT old.visible_to BEGIN
	UPDATE counters SET count = count - 1 WHERE entity = 'links' AND visible_to = old.visible_to AND user_id = old.user_id;
	INSERT INTO counters SELECT 'links', new.visible_to, new.user_id, 1 WHERE new.visible_to IS NOT NULL ON CONFLICT DO UPDATE SET count = count + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER lists_visibility_changed AFTER UPDATE ON lists WHEN new.visible_to IS NOT old.visible_to BEGIN
	UPDATE counters SET count = count - 1 WHERE entity = 'lists' AND visible_to = old.visible_to AND user_id = old.user_id;
	INSERT INTO counters SELECT 'lists', new.visible_to, new.user_id, 1 WHERE new.visible_to IS NOT NULL ON CONFLICT DO UPDATE SET count = count + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tags_visibility_changed AFTER UPDATE ON tags WHEN new.visible_to IS NOT old.visible_to BEGIN
	UPDATE counters SET count = count - 1 WHERE entity = 'tags' AND visible_to = old.visible_to AND user_id = old.user_id;
	INSERT INTO counters SELECT 'tags', new.visible_to, new.user_id, 1 WHERE new.visible_to IS NOT NULL ON CONFLICT DO UPDATE SET count = count + 1;
END;
-- +goose StatementEnd
DROP TABLE revoked_api_keys;
DROP TABLE feed_tokens;
DROP TABLE password_resets;
DROP TABLE invitations;
DROP TABLE sessions;
ALTER TABLE users DROP COLUMN no_shortcuts;
ALTER TABLE users DROP COLUMN hide_descriptions;
ALTER TABLE users DROP COLUMN new_tab;
ALTER TABLE users DROP COLUMN links_per_page;
ALTER TABLE users DROP COLUMN link_view;
ALTER TABLE users DROP COLUMN theme;
ALTER TABLE users DROP COLUMN time_zone;
ALTER TABLE users DROP COLUMN language;
