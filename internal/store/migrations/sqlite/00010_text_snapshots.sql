-- Text snapshots: the readable texts of pages.

-- +goose Up
CREATE TABLE text_snapshots (
	link_id    INTEGER PRIMARY KEY REFERENCES links (id) ON DELETE CASCADE,
	user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- the owner of the link, who has a quota
	fetched_at INTEGER NOT NULL,
	url        TEXT NOT NULL, -- after redirects
	title      TEXT NOT NULL,
	byline     TEXT NOT NULL,
	language   TEXT NOT NULL,
	direction  TEXT NOT NULL,
	size       INTEGER NOT NULL, -- of the HTML
	bytes      INTEGER NOT NULL, -- of content
	content    BLOB NOT NULL  -- the HTML, compressed with zstd
);
CREATE INDEX text_snapshots_by_user ON text_snapshots (user_id);

-- The bytes of a user's snapshots are a counter, so that a new snapshot need not add up all others.
-- +goose StatementBegin
CREATE TRIGGER text_snapshots_after_insert AFTER INSERT ON text_snapshots BEGIN
	INSERT INTO counters VALUES ('snapshot_bytes', 0, new.user_id, new.bytes) ON CONFLICT DO UPDATE SET count = count + excluded.count;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER text_snapshots_after_delete AFTER DELETE ON text_snapshots BEGIN
	UPDATE counters SET count = count - old.bytes WHERE entity = 'snapshot_bytes' AND visible_to = 0 AND user_id = old.user_id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER text_snapshots_after_update AFTER UPDATE ON text_snapshots BEGIN
	UPDATE counters SET count = count - old.bytes WHERE entity = 'snapshot_bytes' AND visible_to = 0 AND user_id = old.user_id;
	INSERT INTO counters VALUES ('snapshot_bytes', 0, new.user_id, new.bytes) ON CONFLICT DO UPDATE SET count = count + excluded.count;
END;
-- +goose StatementEnd

-- +goose Down
DROP TABLE text_snapshots;
DELETE FROM counters WHERE entity = 'snapshot_bytes';
