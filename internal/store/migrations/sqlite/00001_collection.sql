-- The whole collection: people, their keys, links, lists, tags and notes.
--
-- Times are microseconds since 1970, UTC; 0 is never. Texts that are compared,
-- ordered or searched have a folded twin (…_key), which Go computes.
--
-- shelf says who sees an entry: 0 everybody with an account (visibility 1 and 2),
-- else the id of the owner who sees it alone (visibility 3); NULL for nobody,
-- which is the trash. What a person sees is therefore two disjoint shelves.

-- +goose Up
CREATE TABLE users (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	name       TEXT    NOT NULL,
	name_key   TEXT    NOT NULL UNIQUE,
	password   TEXT    NOT NULL,
	admin      BOOLEAN NOT NULL,
	disabled   BOOLEAN NOT NULL,
	visibility INTEGER NOT NULL,
	created_at INTEGER NOT NULL
);

CREATE TABLE keys (
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
	id              INTEGER PRIMARY KEY AUTOINCREMENT,
	user_id         INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	visibility      INTEGER NOT NULL,
	status          INTEGER NOT NULL,
	check_disabled  BOOLEAN NOT NULL,
	created_at      INTEGER NOT NULL,
	updated_at      INTEGER NOT NULL,
	deleted_at      INTEGER NOT NULL DEFAULT 0,
	shelf           INTEGER GENERATED ALWAYS AS (CASE WHEN deleted_at <> 0 THEN NULL WHEN visibility < 3 THEN 0 ELSE user_id END) STORED,
	url             TEXT    NOT NULL,
	url_hash        TEXT    NOT NULL,
	title           TEXT    NOT NULL,
	thumbnail       TEXT    NOT NULL,
	description     TEXT    NOT NULL,
	url_key         TEXT    NOT NULL,
	title_key       TEXT    NOT NULL,
	description_key TEXT    NOT NULL
);
CREATE UNIQUE INDEX links_url ON links (url_hash, user_id) WHERE shelf IS NOT NULL;
CREATE INDEX links_trash ON links (user_id, id) WHERE shelf IS NULL;
-- One index for each order, with all that the order needs.
CREATE INDEX links_by_id ON links (shelf) WHERE shelf IS NOT NULL;
CREATE INDEX links_by_created_at ON links (shelf, created_at) WHERE shelf IS NOT NULL;
CREATE INDEX links_by_updated_at ON links (shelf, updated_at) WHERE shelf IS NOT NULL;
CREATE INDEX links_by_visibility ON links (shelf, visibility) WHERE shelf IS NOT NULL;
CREATE INDEX links_by_status ON links (shelf, status) WHERE shelf IS NOT NULL;
CREATE INDEX links_by_check_disabled ON links (shelf, check_disabled) WHERE shelf IS NOT NULL;
CREATE INDEX links_by_url ON links (shelf, url_key, url) WHERE shelf IS NOT NULL;
CREATE INDEX links_by_title ON links (shelf, title_key, title) WHERE shelf IS NOT NULL;
CREATE INDEX links_by_description ON links (shelf, description_key, description) WHERE shelf IS NOT NULL;

CREATE TABLE lists (
	id              INTEGER PRIMARY KEY AUTOINCREMENT,
	user_id         INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	visibility      INTEGER NOT NULL,
	created_at      INTEGER NOT NULL,
	updated_at      INTEGER NOT NULL,
	deleted_at      INTEGER NOT NULL DEFAULT 0,
	shelf           INTEGER GENERATED ALWAYS AS (CASE WHEN deleted_at <> 0 THEN NULL WHEN visibility < 3 THEN 0 ELSE user_id END) STORED,
	name            TEXT    NOT NULL,
	name_key        TEXT    NOT NULL,
	description     TEXT    NOT NULL DEFAULT '',
	description_key TEXT    NOT NULL DEFAULT ''
);
CREATE INDEX lists_name ON lists (user_id, name_key, name) WHERE shelf IS NOT NULL;
CREATE INDEX lists_trash ON lists (user_id, id) WHERE shelf IS NULL;
CREATE INDEX lists_by_name ON lists (shelf, name_key, name) WHERE shelf IS NOT NULL;
CREATE INDEX lists_by_created_at ON lists (shelf, created_at) WHERE shelf IS NOT NULL;

CREATE TABLE tags (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	visibility INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	deleted_at INTEGER NOT NULL DEFAULT 0,
	shelf      INTEGER GENERATED ALWAYS AS (CASE WHEN deleted_at <> 0 THEN NULL WHEN visibility < 3 THEN 0 ELSE user_id END) STORED,
	name       TEXT    NOT NULL,
	name_key   TEXT    NOT NULL
);
CREATE UNIQUE INDEX tags_name ON tags (user_id, name_key) WHERE shelf IS NOT NULL;
CREATE INDEX tags_trash ON tags (user_id, id) WHERE shelf IS NULL;
CREATE INDEX tags_by_name ON tags (shelf, name_key, name) WHERE shelf IS NOT NULL;
CREATE INDEX tags_by_created_at ON tags (shelf, created_at) WHERE shelf IS NOT NULL;

CREATE TABLE notes (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	link_id    INTEGER NOT NULL REFERENCES links (id) ON DELETE CASCADE,
	visibility INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	deleted_at INTEGER NOT NULL DEFAULT 0,
	shelf      INTEGER GENERATED ALWAYS AS (CASE WHEN deleted_at <> 0 THEN NULL WHEN visibility < 3 THEN 0 ELSE user_id END) STORED,
	note       TEXT    NOT NULL
);
CREATE INDEX notes_of_link ON notes (link_id, shelf, created_at);
CREATE INDEX notes_trash ON notes (user_id, id) WHERE shelf IS NULL;

-- Which link stands in which list, and bears which tag. link_shelf is the link's
-- own, kept by a trigger, so that counting and paging a list needs no join.
CREATE TABLE link_lists (
	link_id    INTEGER NOT NULL REFERENCES links (id) ON DELETE CASCADE,
	list_id    INTEGER NOT NULL REFERENCES lists (id) ON DELETE CASCADE,
	link_shelf INTEGER,
	PRIMARY KEY (link_id, list_id)
) WITHOUT ROWID;
CREATE INDEX links_of_list ON link_lists (list_id, link_shelf, link_id);

CREATE TABLE link_tags (
	link_id    INTEGER NOT NULL REFERENCES links (id) ON DELETE CASCADE,
	tag_id     INTEGER NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
	link_shelf INTEGER,
	PRIMARY KEY (link_id, tag_id)
) WITHOUT ROWID;
CREATE INDEX links_of_tag ON link_tags (tag_id, link_shelf, link_id);

-- How many active entries stand on each shelf, owner by owner: a single row for
-- all would make every writer of a large installation wait for it.
CREATE TABLE counters (
	kind    TEXT    NOT NULL,
	shelf   INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	n       INTEGER NOT NULL,
	PRIMARY KEY (kind, shelf, user_id)
) WITHOUT ROWID;

-- The search index: every three characters of the folded texts. The shelf, the
-- visibility and that a link is broken are in it as three characters each that no
-- text has, so that a count needs no join.
CREATE VIRTUAL TABLE links_text USING fts5 (
	title, url, description, shelf, visibility, broken,
	content = '', contentless_delete = 1, detail = column, tokenize = 'trigram case_sensitive 1'
);

-- +goose StatementBegin
CREATE TRIGGER links_added AFTER INSERT ON links WHEN new.shelf IS NOT NULL BEGIN
	INSERT INTO counters VALUES ('links', new.shelf, new.user_id, 1) ON CONFLICT DO UPDATE SET n = n + 1;
	INSERT INTO links_text (rowid, title, url, description, shelf, visibility, broken)
	VALUES (new.id, new.title_key, new.url_key, new.description_key,
		char(0xF0000 + (new.shelf >> 30 & 0x7FFF), 0xF0000 + (new.shelf >> 15 & 0x7FFF), 0xF0000 + (new.shelf & 0x7FFF)),
		char(0xF8000, 0xF8000, 0xF8000 + new.visibility), iif(new.status > 1, char(0xF8001, 0xF8001, 0xF8001), ''));
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER links_erased AFTER DELETE ON links WHEN old.shelf IS NOT NULL BEGIN
	UPDATE counters SET n = n - 1 WHERE kind = 'links' AND shelf = old.shelf AND user_id = old.user_id;
	DELETE FROM links_text WHERE rowid = old.id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER links_moved AFTER UPDATE ON links WHEN new.shelf IS NOT old.shelf BEGIN
	UPDATE counters SET n = n - 1 WHERE kind = 'links' AND shelf = old.shelf AND user_id = old.user_id;
	INSERT INTO counters SELECT 'links', new.shelf, new.user_id, 1 WHERE new.shelf IS NOT NULL ON CONFLICT DO UPDATE SET n = n + 1;
	UPDATE link_lists SET link_shelf = new.shelf WHERE link_id = new.id;
	UPDATE link_tags SET link_shelf = new.shelf WHERE link_id = new.id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER links_reworded AFTER UPDATE ON links
WHEN new.shelf IS NOT old.shelf OR new.visibility <> old.visibility OR (new.status > 1) <> (old.status > 1)
	OR new.title_key <> old.title_key OR new.url_key <> old.url_key OR new.description_key <> old.description_key BEGIN
	DELETE FROM links_text WHERE rowid = old.id;
	INSERT INTO links_text (rowid, title, url, description, shelf, visibility, broken)
	SELECT new.id, new.title_key, new.url_key, new.description_key,
		char(0xF0000 + (new.shelf >> 30 & 0x7FFF), 0xF0000 + (new.shelf >> 15 & 0x7FFF), 0xF0000 + (new.shelf & 0x7FFF)),
		char(0xF8000, 0xF8000, 0xF8000 + new.visibility), iif(new.status > 1, char(0xF8001, 0xF8001, 0xF8001), '')
	WHERE new.shelf IS NOT NULL;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER lists_added AFTER INSERT ON lists WHEN new.shelf IS NOT NULL BEGIN
	INSERT INTO counters VALUES ('lists', new.shelf, new.user_id, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER lists_erased AFTER DELETE ON lists WHEN old.shelf IS NOT NULL BEGIN
	UPDATE counters SET n = n - 1 WHERE kind = 'lists' AND shelf = old.shelf AND user_id = old.user_id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER lists_moved AFTER UPDATE ON lists WHEN new.shelf IS NOT old.shelf BEGIN
	UPDATE counters SET n = n - 1 WHERE kind = 'lists' AND shelf = old.shelf AND user_id = old.user_id;
	INSERT INTO counters SELECT 'lists', new.shelf, new.user_id, 1 WHERE new.shelf IS NOT NULL ON CONFLICT DO UPDATE SET n = n + 1;
END;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE TRIGGER tags_added AFTER INSERT ON tags WHEN new.shelf IS NOT NULL BEGIN
	INSERT INTO counters VALUES ('tags', new.shelf, new.user_id, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tags_erased AFTER DELETE ON tags WHEN old.shelf IS NOT NULL BEGIN
	UPDATE counters SET n = n - 1 WHERE kind = 'tags' AND shelf = old.shelf AND user_id = old.user_id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tags_moved AFTER UPDATE ON tags WHEN new.shelf IS NOT old.shelf BEGIN
	UPDATE counters SET n = n - 1 WHERE kind = 'tags' AND shelf = old.shelf AND user_id = old.user_id;
	INSERT INTO counters SELECT 'tags', new.shelf, new.user_id, 1 WHERE new.shelf IS NOT NULL ON CONFLICT DO UPDATE SET n = n + 1;
END;
-- +goose StatementEnd

-- +goose Down
DROP TABLE links_text;
DROP TABLE counters;
DROP TABLE link_tags;
DROP TABLE link_lists;
DROP TABLE notes;
DROP TABLE tags;
DROP TABLE lists;
DROP TABLE links;
DROP TABLE keys;
DROP TABLE users;
