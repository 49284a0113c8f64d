-- What a user keeps at the side of the pages: searches, and pinned lists and tags.

-- +goose Up
CREATE TABLE saved_searches (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	name       TEXT    NOT NULL,
	query      TEXT    NOT NULL, -- of the address of the page
	created_at INTEGER NOT NULL
);
CREATE INDEX saved_searches_by_user ON saved_searches (user_id);

CREATE TABLE pinned_lists (
	user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	list_id INTEGER NOT NULL REFERENCES lists (id) ON DELETE CASCADE,
	PRIMARY KEY (user_id, list_id)
) WITHOUT ROWID;
CREATE INDEX pinned_lists_by_list ON pinned_lists (list_id);

CREATE TABLE pinned_tags (
	user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	tag_id  INTEGER NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
	PRIMARY KEY (user_id, tag_id)
) WITHOUT ROWID;
CREATE INDEX pinned_tags_by_tag ON pinned_tags (tag_id);

-- The index in memory has the owners of lists and tags, so the log of changes has them, too.
DROP TRIGGER lists_log_update;
DROP TRIGGER tags_log_update;
-- +goose StatementBegin
CREATE TRIGGER lists_log_update AFTER UPDATE ON lists WHEN new.visible_to IS NOT old.visible_to OR new.user_id <> old.user_id BEGIN
	INSERT INTO changes (entity, id) VALUES ('lists', new.id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tags_log_update AFTER UPDATE ON tags WHEN new.visible_to IS NOT old.visible_to OR new.user_id <> old.user_id BEGIN
	INSERT INTO changes (entity, id) VALUES ('tags', new.id);
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER lists_log_update;
DROP TRIGGER tags_log_update;
-- +goose StatementBegin
CREATE TRIGGER lists_log_update AFTER UPDATE ON lists WHEN new.visible_to IS NOT old.visible_to BEGIN
	INSERT INTO changes (entity, id) VALUES ('lists', new.id);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tags_log_update AFTER UPDATE ON tags WHEN new.visible_to IS NOT old.visible_to BEGIN
	INSERT INTO changes (entity, id) VALUES ('tags', new.id);
END;
-- +goose StatementEnd
DROP TABLE pinned_tags;
DROP TABLE pinned_lists;
DROP TABLE saved_searches;
