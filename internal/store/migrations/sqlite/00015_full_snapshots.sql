-- Full snapshots: whole pages, each as one HTML file.

-- +goose Up
CREATE TABLE full_snapshots (
	link_id    INTEGER PRIMARY KEY REFERENCES links (id) ON DELETE CASCADE,
	user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- the owner of the link, who has a quota
	fetched_at INTEGER NOT NULL,
	url        TEXT NOT NULL, -- after redirects
	size       INTEGER NOT NULL, -- of the HTML
	bytes      INTEGER NOT NULL, -- of content
	content    BLOB NOT NULL  -- the HTML, compressed with zstd
);
CREATE INDEX full_snapshots_by_user ON full_snapshots (user_id);

-- They count against the same quota as the readable texts.
-- +goose StatementBegin
CREATE TRIGGER full_snapshots_after_insert AFTER INSERT ON full_snapshots BEGIN
	INSERT INTO counters VALUES ('snapshot_bytes', 0, new.user_id, new.bytes) ON CONFLICT DO UPDATE SET count = count + excluded.count;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER full_snapshots_after_delete AFTER DELETE ON full_snapshots BEGIN
	UPDATE counters SET count = count - old.bytes WHERE entity = 'snapshot_bytes' AND visible_to = 0 AND user_id = old.user_id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER full_snapshots_after_update AFTER UPDATE ON full_snapshots BEGIN
	UPDATE counters SET count = count - old.bytes WHERE entity = 'snapshot_bytes' AND visible_to = 0 AND user_id = old.user_id;
	INSERT INTO counters VALUES ('snapshot_bytes', 0, new.user_id, new.bytes) ON CONFLICT DO UPDATE SET count = count + excluded.count;
END;
-- +goose StatementEnd

-- +goose Down
DELETE FROM full_snapshots;
DROP TABLE full_snapshots;
