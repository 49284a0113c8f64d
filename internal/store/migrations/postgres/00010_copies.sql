-- Copies of the readable texts of pages.

-- +goose Up
CREATE TABLE copies (
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
CREATE INDEX copies_by_user ON copies (user_id);

-- The bytes of a user's copies are a counter, so that a new copy need not add up all others.
-- +goose StatementBegin
CREATE FUNCTION count_copy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP <> 'INSERT' THEN
		UPDATE counters SET count = count - OLD.bytes WHERE entity = 'copy_bytes' AND visible_to = 0 AND user_id = OLD.user_id;
	END IF;
	IF TG_OP <> 'DELETE' THEN
		INSERT INTO counters AS c VALUES ('copy_bytes', 0, NEW.user_id, NEW.bytes) ON CONFLICT (entity, visible_to, user_id) DO UPDATE SET count = c.count + excluded.count;
	END IF;
	RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER copies_counted AFTER INSERT OR UPDATE OR DELETE ON copies FOR EACH ROW EXECUTE FUNCTION count_copy();

-- +goose Down
DROP TABLE copies;
DROP FUNCTION count_copy;
DELETE FROM counters WHERE entity = 'copy_bytes';
