-- Whole pages, each as one HTML file.

-- +goose Up
CREATE TABLE saved_pages (
	link_id    INTEGER PRIMARY KEY REFERENCES links (id) ON DELETE CASCADE,
	user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- the owner of the link, who has a quota
	fetched_at INTEGER NOT NULL,
	url        TEXT NOT NULL, -- after redirects
	size       INTEGER NOT NULL, -- of the HTML
	bytes      INTEGER NOT NULL, -- of content
	content    BLOB NOT NULL  -- the HTML, compressed with zstd
);
CREATE INDEX saved_pages_by_user ON saved_pages (user_id);

-- They count against the same quota as the readable texts.
-- +goose StatementBegin
CREATE TRIGGER saved_pages_after_insert AFTER INSERT ON saved_pages BEGIN
	INSERT INTO counters VALUES ('copy_bytes', 0, new.user_id, new.bytes) ON CONFLICT DO UPDATE SET count = count + excluded.count;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER saved_pages_after_delete AFTER DELETE ON saved_pages BEGIN
	UPDATE counters SET count = count - old.bytes WHERE entity = 'copy_bytes' AND visible_to = 0 AND user_id = old.user_id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER saved_pages_after_update AFTER UPDATE ON saved_pages BEGIN
	UPDATE counters SET count = count - old.bytes WHERE entity = 'copy_bytes' AND visible_to = 0 AND user_id = old.user_id;
	INSERT INTO counters VALUES ('copy_bytes', 0, new.user_id, new.bytes) ON CONFLICT DO UPDATE SET count = count + excluded.count;
END;
-- +goose StatementEnd

-- +goose Down
DELETE FROM saved_pages;
DROP TABLE saved_pages;
