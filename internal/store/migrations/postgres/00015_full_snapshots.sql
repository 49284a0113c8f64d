-- Full snapshots: whole pages, each as one HTML file.

-- +goose Up
CREATE TABLE full_snapshots (
	link_id    BIGINT PRIMARY KEY REFERENCES links (id) ON DELETE CASCADE,
	user_id    BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- the owner of the link, who has a quota
	fetched_at BIGINT NOT NULL,
	url        TEXT NOT NULL, -- after redirects
	size       BIGINT NOT NULL, -- of the HTML
	bytes      BIGINT NOT NULL, -- of content
	content    BYTEA NOT NULL  -- the HTML, compressed with zstd
);
CREATE INDEX full_snapshots_by_user ON full_snapshots (user_id);

-- They count against the same quota as the readable texts.
CREATE TRIGGER full_snapshots_counted AFTER INSERT OR UPDATE OR DELETE ON full_snapshots FOR EACH ROW EXECUTE FUNCTION count_snapshot();

-- +goose Down
DELETE FROM full_snapshots;
DROP TABLE full_snapshots;
