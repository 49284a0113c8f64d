-- The pictures that are shown with links.

-- +goose Up
CREATE TABLE pictures (
	hash    TEXT   PRIMARY KEY, -- of the data: 32 hexadecimal digits of SHA-256
	type    TEXT   NOT NULL,
	width   INTEGER NOT NULL,
	height  INTEGER NOT NULL,
	bytes   INTEGER NOT NULL, -- of the data
	used_at INTEGER NOT NULL, -- when a link got it for the last time
	data    BLOB NOT NULL
);
CREATE INDEX pictures_by_used_at ON pictures (used_at, bytes);

CREATE TABLE link_pictures (
	link_id INTEGER NOT NULL REFERENCES links (id) ON DELETE CASCADE,
	kind    INTEGER NOT NULL, -- 1 thumbnail, 2 icon of the site
	hash    TEXT   NOT NULL REFERENCES pictures (hash),
	PRIMARY KEY (link_id, kind)
);
CREATE INDEX link_pictures_by_hash ON link_pictures (hash);

-- The pictures of another URL are wrong.
-- +goose StatementBegin
CREATE TRIGGER links_pictures AFTER UPDATE OF url ON links WHEN new.url <> old.url BEGIN
	DELETE FROM link_pictures WHERE link_id = new.id;
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER links_pictures;
DROP TABLE link_pictures;
DROP TABLE pictures;
