-- The tables of Waymark: users, API keys, links, lists, tags and notes.
--
-- Times are microseconds since 1970-01-01 UTC; 0 means never. A column …_folded holds
-- the text of another column with its case folded by Go, so that SQLite and PostgreSQL
-- compare, sort and search every script alike. In links it is NULL if the texts are equal.
--
-- visible_to is the scope of an entity, one of three: 0 public (everyone, guests
-- included; visibility 1), -1 internal (every signed-in user; visibility 2), or the id
-- of the owner (the owner alone; visibility 3). It is NULL while the entity is in the
-- trash. A user sees three disjoint scopes and a guest one, so that a page is one
-- index scan per scope, and a total is the sum of one counter per scope and owner.

-- +goose Up
CREATE TABLE users (
	id              INTEGER PRIMARY KEY AUTOINCREMENT,
	name            TEXT    NOT NULL,
	name_folded     TEXT    NOT NULL UNIQUE,
	password_hash   TEXT    NOT NULL,
	admin           BOOLEAN NOT NULL, -- for the web interface; not used yet
	disabled        BOOLEAN NOT NULL,
	-- The defaults for new links, lists, tags and notes.
	link_visibility INTEGER NOT NULL,
	list_visibility INTEGER NOT NULL,
	tag_visibility  INTEGER NOT NULL,
	note_visibility INTEGER NOT NULL,
	created_at      INTEGER NOT NULL
);

CREATE TABLE api_keys (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user_id      INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	name         TEXT    NOT NULL,
	hash         TEXT    NOT NULL UNIQUE,
	access       TEXT    NOT NULL,
	created_at   INTEGER NOT NULL,
	last_used_at INTEGER NOT NULL,
	expires_at   INTEGER NOT NULL,
	UNIQUE (user_id, name)
);

CREATE TABLE links (
	id                 INTEGER PRIMARY KEY AUTOINCREMENT,
	user_id            INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	visibility         INTEGER NOT NULL,
	status             INTEGER NOT NULL,
	check_disabled     BOOLEAN NOT NULL,
	created_at         INTEGER NOT NULL,
	updated_at         INTEGER NOT NULL,
	deleted_at         INTEGER NOT NULL DEFAULT 0,
	visible_to         INTEGER GENERATED ALWAYS AS (CASE WHEN deleted_at <> 0 THEN NULL WHEN visibility = 1 THEN 0 WHEN visibility = 2 THEN -1 ELSE user_id END) STORED,
	url                TEXT    NOT NULL,
	url_hash           BLOB    NOT NULL,
	title              TEXT    NOT NULL,
	thumbnail          TEXT    NOT NULL,
	description        TEXT    NOT NULL,
	url_folded         TEXT,
	title_folded       TEXT,
	description_folded TEXT
);
CREATE UNIQUE INDEX links_url ON links (url_hash, user_id) WHERE visible_to IS NOT NULL;
CREATE INDEX links_trash ON links (user_id, id) WHERE visible_to IS NULL;
-- Pages in the orders by id and by created_at are read along these indexes.
CREATE INDEX links_by_id ON links (visible_to) WHERE visible_to IS NOT NULL;
CREATE INDEX links_by_created_at ON links (visible_to, created_at) WHERE visible_to IS NOT NULL;

CREATE TABLE lists (
	id                 INTEGER PRIMARY KEY AUTOINCREMENT,
	user_id            INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	visibility         INTEGER NOT NULL,
	created_at         INTEGER NOT NULL,
	updated_at         INTEGER NOT NULL,
	deleted_at         INTEGER NOT NULL DEFAULT 0,
	visible_to         INTEGER GENERATED ALWAYS AS (CASE WHEN deleted_at <> 0 THEN NULL WHEN visibility = 1 THEN 0 WHEN visibility = 2 THEN -1 ELSE user_id END) STORED,
	name               TEXT    NOT NULL,
	name_folded        TEXT    NOT NULL,
	description        TEXT    NOT NULL DEFAULT '',
	description_folded TEXT    NOT NULL DEFAULT ''
);
CREATE INDEX lists_name ON lists (user_id, name_folded, name) WHERE visible_to IS NOT NULL;
CREATE INDEX lists_trash ON lists (user_id, id) WHERE visible_to IS NULL;
CREATE INDEX lists_by_name ON lists (visible_to, name_folded, name) WHERE visible_to IS NOT NULL;
CREATE INDEX lists_by_created_at ON lists (visible_to, created_at) WHERE visible_to IS NOT NULL;

CREATE TABLE tags (
	id          INTEGER PRIMARY KEY AUTOINCREMENT,
	user_id     INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	visibility  INTEGER NOT NULL,
	created_at  INTEGER NOT NULL,
	updated_at  INTEGER NOT NULL,
	deleted_at  INTEGER NOT NULL DEFAULT 0,
	visible_to  INTEGER GENERATED ALWAYS AS (CASE WHEN deleted_at <> 0 THEN NULL WHEN visibility = 1 THEN 0 WHEN visibility = 2 THEN -1 ELSE user_id END) STORED,
	name        TEXT    NOT NULL,
	name_folded TEXT    NOT NULL
);
CREATE UNIQUE INDEX tags_name ON tags (user_id, name_folded) WHERE visible_to IS NOT NULL;
CREATE INDEX tags_trash ON tags (user_id, id) WHERE visible_to IS NULL;
CREATE INDEX tags_by_name ON tags (visible_to, name_folded, name) WHERE visible_to IS NOT NULL;
CREATE INDEX tags_by_created_at ON tags (visible_to, created_at) WHERE visible_to IS NOT NULL;

CREATE TABLE notes (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	link_id    INTEGER NOT NULL REFERENCES links (id) ON DELETE CASCADE,
	visibility INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	deleted_at INTEGER NOT NULL DEFAULT 0,
	visible_to INTEGER GENERATED ALWAYS AS (CASE WHEN deleted_at <> 0 THEN NULL WHEN visibility = 1 THEN 0 WHEN visibility = 2 THEN -1 ELSE user_id END) STORED,
	note       TEXT    NOT NULL
);
CREATE INDEX notes_by_link ON notes (link_id, visible_to, created_at);
CREATE INDEX notes_trash ON notes (user_id, id) WHERE visible_to IS NULL;

-- The links in each list, and with each tag.
CREATE TABLE link_lists (
	link_id INTEGER NOT NULL REFERENCES links (id) ON DELETE CASCADE,
	list_id INTEGER NOT NULL REFERENCES lists (id) ON DELETE CASCADE,
	PRIMARY KEY (link_id, list_id)
) WITHOUT ROWID;
CREATE INDEX link_lists_by_list ON link_lists (list_id, link_id);

CREATE TABLE link_tags (
	link_id INTEGER NOT NULL REFERENCES links (id) ON DELETE CASCADE,
	tag_id  INTEGER NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
	PRIMARY KEY (link_id, tag_id)
) WITHOUT ROWID;
CREATE INDEX link_tags_by_tag ON link_tags (tag_id, link_id);

-- The number of active entities in each scope, per owner: a single row per scope would
-- make concurrent writers wait for each other. Triggers keep it.
CREATE TABLE counters (
	entity     TEXT    NOT NULL,
	visible_to INTEGER NOT NULL,
	user_id    INTEGER NOT NULL,
	count      INTEGER NOT NULL,
	PRIMARY KEY (entity, visible_to, user_id)
) WITHOUT ROWID;

-- The log of changes: what was inserted, updated or deleted, in this order. The index in
-- memory reads it to follow the tables. A change of an association is one of its link. Of
-- lists and tags it has those of visible_to, which decide whether a link has labels.
-- Store.PruneChanges deletes old rows, but never the newest one, because seq follows it.
CREATE TABLE changes (
	seq    INTEGER PRIMARY KEY,
	entity TEXT    NOT NULL, -- links, lists or tags
	id     INTEGER NOT NULL
);

-- +goose StatementBegin
CREATE TRIGGER links_after_insert AFTER INSERT ON links WHEN new.visible_to IS NOT NULL BEGIN
	INSERT INTO counters VALUES ('links', new.visible_to, new.user_id, 1) ON CONFLICT DO UPDATE SET count = count + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER links_after_delete AFTER DELETE ON links WHEN old.visible_to IS NOT NULL BEGIN
	UPDATE counters SET count = count - 1 WHERE entity = 'links' AND visible_to = old.visible_to AND user_id = old.user_id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER links_visibility_changed AFTER UPDATE ON links WHEN new.visible_to IS NOT old.visible_to BEGIN
	UPDATE counters SET count = count - 1 WHERE entity = 'links' AND visible_to = old.visible_to AND user_id = old.user_id;
	INSERT INTO counters SELECT 'links', new.visible_to, new.user_id, 1 WHERE new.visible_to IS NOT NULL ON CONFLICT DO UPDATE SET count = count + 1;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER lists_after_insert AFTER INSERT ON lists WHEN new.visible_to IS NOT NULL BEGIN
	INSERT INTO counters VALUES ('lists', new.visible_to, new.user_id, 1) ON CONFLICT DO UPDATE SET count = count + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER lists_after_delete AFTER DELETE ON lists WHEN old.visible_to IS NOT NULL BEGIN
	UPDATE counters SET count = count - 1 WHERE entity = 'lists' AND visible_to = old.visible_to AND user_id = old.user_id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER lists_visibility_changed AFTER UPDATE ON lists WHEN new.visible_to IS NOT old.visible_to BEGIN
	UPDATE counters SET count = count - 1 WHERE entity = 'lists' AND visible_to = old.visible_to AND user_id = old.user_id;
	INSERT INTO counters SELECT 'lists', new.visible_to, new.user_id, 1 WHERE new.visible_to IS NOT NULL ON CONFLICT DO UPDATE SET count = count + 1;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER tags_after_insert AFTER INSERT ON tags WHEN new.visible_to IS NOT NULL BEGIN
	INSERT INTO counters VALUES ('tags', new.visible_to, new.user_id, 1) ON CONFLICT DO UPDATE SET count = count + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tags_after_delete AFTER DELETE ON tags WHEN old.visible_to IS NOT NULL BEGIN
	UPDATE counters SET count = count - 1 WHERE entity = 'tags' AND visible_to = old.visible_to AND user_id = old.user_id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tags_visibility_changed AFTER UPDATE ON tags WHEN new.visible_to IS NOT old.visible_to BEGIN
	UPDATE counters SET count = count - 1 WHERE entity = 'tags' AND visible_to = old.visible_to AND user_id = old.user_id;
	INSERT INTO counters SELECT 'tags', new.visible_to, new.user_id, 1 WHERE new.visible_to IS NOT NULL ON CONFLICT DO UPDATE SET count = count + 1;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER links_log_insert AFTER INSERT ON links BEGIN
	INSERT INTO changes (entity, id) VALUES ('links', new.id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER links_log_delete AFTER DELETE ON links BEGIN
	INSERT INTO changes (entity, id) VALUES ('links', old.id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER links_log_update AFTER UPDATE ON links BEGIN
	INSERT INTO changes (entity, id) VALUES ('links', new.id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER lists_log_insert AFTER INSERT ON lists BEGIN
	INSERT INTO changes (entity, id) VALUES ('lists', new.id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER lists_log_delete AFTER DELETE ON lists BEGIN
	INSERT INTO changes (entity, id) VALUES ('lists', old.id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER lists_log_update AFTER UPDATE ON lists WHEN new.visible_to IS NOT old.visible_to BEGIN
	INSERT INTO changes (entity, id) VALUES ('lists', new.id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tags_log_insert AFTER INSERT ON tags BEGIN
	INSERT INTO changes (entity, id) VALUES ('tags', new.id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tags_log_delete AFTER DELETE ON tags BEGIN
	INSERT INTO changes (entity, id) VALUES ('tags', old.id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tags_log_update AFTER UPDATE ON tags WHEN new.visible_to IS NOT old.visible_to BEGIN
	INSERT INTO changes (entity, id) VALUES ('tags', new.id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER link_lists_log_insert AFTER INSERT ON link_lists BEGIN
	INSERT INTO changes (entity, id) VALUES ('links', new.link_id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER link_lists_log_delete AFTER DELETE ON link_lists BEGIN
	INSERT INTO changes (entity, id) VALUES ('links', old.link_id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER link_tags_log_insert AFTER INSERT ON link_tags BEGIN
	INSERT INTO changes (entity, id) VALUES ('links', new.link_id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER link_tags_log_delete AFTER DELETE ON link_tags BEGIN
	INSERT INTO changes (entity, id) VALUES ('links', old.link_id);
END;
-- +goose StatementEnd

-- Changes of users and API keys, until a server has logged and deleted them. Triggers write
-- them, so that the log also has what commands change.
CREATE TABLE audit_events (
	id        INTEGER PRIMARY KEY AUTOINCREMENT,
	at        INTEGER NOT NULL DEFAULT (CAST(unixepoch('now', 'subsec') * 1000000 AS INTEGER)),
	event     TEXT    NOT NULL,
	user_name TEXT    NOT NULL,
	key_name  TEXT    NOT NULL,
	detail    TEXT    NOT NULL
);
-- +goose StatementBegin
CREATE TRIGGER users_audit_insert AFTER INSERT ON users BEGIN
	INSERT INTO audit_events (event, user_name, key_name, detail) VALUES ('user added', new.name, '', '');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER users_audit_delete AFTER DELETE ON users BEGIN
	INSERT INTO audit_events (event, user_name, key_name, detail) VALUES ('user removed', old.name, '', '');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER users_audit_update AFTER UPDATE ON users BEGIN
	INSERT INTO audit_events (event, user_name, key_name, detail)
	SELECT 'user renamed', old.name, '', 'to ' || new.name WHERE new.name <> old.name
	UNION ALL SELECT 'password changed', new.name, '', '' WHERE new.password_hash <> old.password_hash
	UNION ALL SELECT CASE WHEN new.admin THEN 'administrator added' ELSE 'administrator removed' END, new.name, '', '' WHERE new.admin <> old.admin
	UNION ALL SELECT CASE WHEN new.disabled THEN 'user disabled' ELSE 'user enabled' END, new.name, '', '' WHERE new.disabled <> old.disabled
	UNION ALL SELECT 'default visibility changed', new.name, '', 'links ' || new.link_visibility || ', lists ' || new.list_visibility || ', tags ' || new.tag_visibility || ', notes ' || new.note_visibility
		WHERE (new.link_visibility, new.list_visibility, new.tag_visibility, new.note_visibility) <> (old.link_visibility, old.list_visibility, old.tag_visibility, old.note_visibility);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER api_keys_audit_insert AFTER INSERT ON api_keys BEGIN
	INSERT INTO audit_events (event, user_name, key_name, detail)
	SELECT 'API key added', name, new.name, new.access || ' access' FROM users WHERE id = new.user_id;
END;
-- +goose StatementEnd
-- Removing a user also deletes their keys: the user is then gone, and there is one event.
-- +goose StatementBegin
CREATE TRIGGER api_keys_audit_delete AFTER DELETE ON api_keys BEGIN
	INSERT INTO audit_events (event, user_name, key_name, detail)
	SELECT 'API key revoked', name, old.name, '' FROM users WHERE id = old.user_id;
END;
-- +goose StatementEnd

-- +goose Down
DROP TABLE audit_events;
DROP TABLE changes;
DROP TABLE counters;
DROP TABLE link_tags;
DROP TABLE link_lists;
DROP TABLE notes;
DROP TABLE tags;
DROP TABLE lists;
DROP TABLE links;
DROP TABLE api_keys;
DROP TABLE users;
