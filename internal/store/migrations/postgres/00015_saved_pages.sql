-- Whole pages, each as one HTML file.

-- +goose Up
CREATE TABLE saved_pages (
	link_id    BIGINT PRIMARY KEY REFERENCES links (id) ON DELETE CASCADE,
	user_id    BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- the owner of the link, who has a quota
	fetched_at BIGINT NOT NULL,
	url        TEXT NOT NULL, -- after redirects
	size       BIGINT NOT NULL, -- of the HTML
	bytes      BIGINT NOT NULL, -- of content
	content    BYTEA NOT NULL  -- the HTML, compressed with zstd
);
CREATE INDEX saved_pages_by_user ON saved_pages (user_id);

-- They count against the same quota as the readable texts.
CREATE TRIGGER saved_pages_counted AFTER INSERT OR UPDATE OR DELETE ON saved_pages FOR EACH ROW EXECUTE FUNCTION count_copy();

-- +goose Down
DELETE FROM saved_pages;
DROP TABLE saved_pages;
