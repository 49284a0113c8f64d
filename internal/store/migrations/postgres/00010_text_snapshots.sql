-- Text snapshots: the readable texts of pages.

-- +goose Up
CREATE TABLE text_snapshots (
	link_id    BIGINT PRIMARY KEY REFERENCES links (id) ON DELETE CASCADE,
	user_id    BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- the owner of the link, who has a quota
	fetched_at BIGINT NOT NULL,
	url        TEXT NOT NULL, -- after redirects
	title      TEXT NOT NULL,
	byline     TEXT NOT NULL,
	language   TEXT NOT NULL,
	direction  TEXT NOT NULL,
	size       BIGINT NOT NULL, -- of the HTML
	bytes      BIGINT NOT NULL, -- of content
	content    BYTEA NOT NULL  -- the HTML, compressed with zstd
);
CREATE INDEX text_snapshots_by_user ON text_snapshots (user_id);

-- The bytes of a user's snapshots are a counter, so that a new snapshot need not add up all others.
-- +goose StatementBegin
CREATE FUNCTION count_snapshot() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP <> 'INSERT' THEN
		UPDATE counters SET count = count - OLD.bytes WHERE entity = 'snapshot_bytes' AND visible_to = 0 AND user_id = OLD.user_id;
	END IF;
	IF TG_OP <> 'DELETE' THEN
		INSERT INTO counters AS c VALUES ('snapshot_bytes', 0, NEW.user_id, NEW.bytes) ON CONFLICT (entity, visible_to, user_id) DO UPDATE SET count = c.count + excluded.count;
	END IF;
	RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER text_snapshots_counted AFTER INSERT OR UPDATE OR DELETE ON text_snapshots FOR EACH ROW EXECUTE FUNCTION count_snapshot();

-- +goose Down
DROP TABLE text_snapshots;
DROP FUNCTION count_snapshot;
DELETE FROM counters WHERE entity = 'snapshot_bytes';
