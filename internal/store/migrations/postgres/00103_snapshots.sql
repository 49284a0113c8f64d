-- What is kept of the pages of links: snapshots, their words for the search, and pictures.

-- +goose Up
-- Text snapshots: the readable texts of pages.
CREATE TABLE text_snapshots (
	link_id    BIGINT  PRIMARY KEY REFERENCES links (id) ON DELETE CASCADE,
	user_id    BIGINT  NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- the owner of the link, who has a quota
	fetched_at BIGINT  NOT NULL,
	url        TEXT    COLLATE "C" NOT NULL, -- after redirects
	title      TEXT    COLLATE "C" NOT NULL,
	byline     TEXT    COLLATE "C" NOT NULL,
	language   TEXT    COLLATE "C" NOT NULL,
	direction  TEXT    COLLATE "C" NOT NULL,
	size       BIGINT  NOT NULL, -- of the HTML
	bytes      BIGINT  NOT NULL, -- of content
	content    BYTEA   NOT NULL  -- the HTML, compressed with zstd
);
CREATE INDEX text_snapshots_by_user ON text_snapshots (user_id);

-- Full snapshots: whole pages, each as one HTML file. A link can have one of each kind.
CREATE TABLE full_snapshots (
	link_id    BIGINT  PRIMARY KEY REFERENCES links (id) ON DELETE CASCADE,
	user_id    BIGINT  NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- the owner of the link, who has a quota
	fetched_at BIGINT  NOT NULL,
	url        TEXT    COLLATE "C" NOT NULL, -- after redirects
	size       BIGINT  NOT NULL, -- of the HTML
	bytes      BIGINT  NOT NULL, -- of content
	content    BYTEA   NOT NULL  -- the HTML, compressed with zstd
);
CREATE INDEX full_snapshots_by_user ON full_snapshots (user_id);

-- The bytes of all snapshots of a user are a counter, so that a new snapshot need not add up all others.
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
CREATE TRIGGER full_snapshots_counted AFTER INSERT OR UPDATE OR DELETE ON full_snapshots FOR EACH ROW EXECUTE FUNCTION count_snapshot();

-- The words of text snapshots, by which searches find their links.
CREATE TABLE snapshot_words (
	link_id BIGINT   PRIMARY KEY REFERENCES links (id) ON DELETE CASCADE,
	words   tsvector NOT NULL -- made by waymark.SnapshotWords, without positions
);
CREATE INDEX snapshot_words_by_word ON snapshot_words USING gin (words);

-- The pictures that are shown with links, each once.
CREATE TABLE pictures (
	hash    TEXT    COLLATE "C" PRIMARY KEY, -- of the data: 32 hexadecimal digits of SHA-256
	type    TEXT    COLLATE "C" NOT NULL,
	width   BIGINT  NOT NULL,
	height  BIGINT  NOT NULL,
	bytes   BIGINT  NOT NULL, -- of the data
	used_at BIGINT  NOT NULL, -- when a link got it for the last time
	data    BYTEA   NOT NULL
);
CREATE INDEX pictures_by_used_at ON pictures (used_at, bytes);

-- Which pictures a link has. All links to a site share its icon.
CREATE TABLE link_pictures (
	link_id BIGINT  NOT NULL REFERENCES links (id) ON DELETE CASCADE,
	kind    BIGINT  NOT NULL, -- 1 thumbnail, 2 icon of the site
	hash    TEXT    COLLATE "C" NOT NULL REFERENCES pictures (hash),
	PRIMARY KEY (link_id, kind)
);
CREATE INDEX link_pictures_by_hash ON link_pictures (hash);
