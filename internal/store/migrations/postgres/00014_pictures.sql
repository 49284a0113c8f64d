-- The pictures that are shown with links.

-- +goose Up
CREATE TABLE pictures (
	hash    TEXT   PRIMARY KEY, -- of the data: 32 hexadecimal digits of SHA-256
	type    TEXT   NOT NULL,
	width   BIGINT NOT NULL,
	height  BIGINT NOT NULL,
	bytes   BIGINT NOT NULL, -- of the data
	used_at BIGINT NOT NULL, -- when a link got it for the last time
	data    BYTEA NOT NULL
);
CREATE INDEX pictures_by_used_at ON pictures (used_at, bytes);

CREATE TABLE link_pictures (
	link_id BIGINT NOT NULL REFERENCES links (id) ON DELETE CASCADE,
	kind    BIGINT NOT NULL, -- 1 thumbnail, 2 icon of the site
	hash    TEXT   NOT NULL REFERENCES pictures (hash),
	PRIMARY KEY (link_id, kind)
);
CREATE INDEX link_pictures_by_hash ON link_pictures (hash);

-- The pictures of another URL are wrong.
-- +goose StatementBegin
CREATE FUNCTION forget_pictures() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM link_pictures WHERE link_id = NEW.id;
	RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER links_pictures AFTER UPDATE OF url ON links FOR EACH ROW WHEN (NEW.url <> OLD.url) EXECUTE FUNCTION forget_pictures();

-- +goose Down
DROP TRIGGER links_pictures ON links;
DROP FUNCTION forget_pictures;
DROP TABLE link_pictures;
DROP TABLE pictures;
