-- What is kept of the pages of links: snapshots, their words for the search, and pictures.

-- Text snapshots: the readable texts of pages.
CREATE TABLE text_snapshots (
	link_id    INTEGER PRIMARY KEY REFERENCES links (id) ON DELETE CASCADE,
	user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- the owner of the link, who has a quota
	fetched_at INTEGER NOT NULL,
	url        TEXT    NOT NULL, -- after redirects
	title      TEXT    NOT NULL,
	byline     TEXT    NOT NULL,
	language   TEXT    NOT NULL,
	direction  TEXT    NOT NULL,
	size       INTEGER NOT NULL, -- of the HTML
	bytes      INTEGER NOT NULL, -- of content
	content    BLOB    NOT NULL  -- the HTML, compressed with zstd
);
CREATE INDEX text_snapshots_by_user ON text_snapshots (user_id, bytes);

-- How far users have read the text snapshots of links, which can be those of other users.
CREATE TABLE reading_positions (
	user_id   INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	link_id   INTEGER NOT NULL REFERENCES links (id) ON DELETE CASCADE,
	paragraph INTEGER NOT NULL, -- at the top of the window; 0 above the first
	per_mille INTEGER NOT NULL, -- how much of the text was read
	PRIMARY KEY (user_id, link_id)
) WITHOUT ROWID;
CREATE INDEX reading_positions_by_link ON reading_positions (link_id);

-- Full snapshots: whole pages, each as one HTML file. A link can have one of each kind.
CREATE TABLE full_snapshots (
	link_id    INTEGER PRIMARY KEY REFERENCES links (id) ON DELETE CASCADE,
	user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- the owner of the link, who has a quota
	fetched_at INTEGER NOT NULL,
	url        TEXT    NOT NULL, -- after redirects
	size       INTEGER NOT NULL, -- of the HTML
	bytes      INTEGER NOT NULL, -- of content
	content    BLOB    NOT NULL  -- the HTML, compressed with zstd
);
CREATE INDEX full_snapshots_by_user ON full_snapshots (user_id, bytes);

-- Files that people add to links. Those with full_snapshot are pages as browsers have saved them. A link
-- has at most one, which is shown instead of the full snapshot that the server has made.
CREATE TABLE attachments (
	id            INTEGER PRIMARY KEY AUTOINCREMENT,
	link_id       INTEGER NOT NULL REFERENCES links (id) ON DELETE CASCADE,
	user_id       INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- the owner of the link, who has a quota
	full_snapshot BOOLEAN NOT NULL,
	name          TEXT    NOT NULL,
	content_type  TEXT    NOT NULL,
	size          INTEGER NOT NULL, -- of the file
	bytes         INTEGER NOT NULL, -- of the chunks
	created_at    INTEGER NOT NULL
);
CREATE INDEX attachments_by_link ON attachments (link_id, id);
CREATE INDEX attachments_by_user ON attachments (user_id, bytes);
CREATE UNIQUE INDEX uploaded_full_snapshots ON attachments (link_id) WHERE full_snapshot;

-- The files themselves, in chunks: a row of 100 MiB would be read as a whole.
CREATE TABLE attachment_chunks (
	attachment_id INTEGER NOT NULL REFERENCES attachments (id) ON DELETE CASCADE,
	number        INTEGER NOT NULL, -- from 0
	content       BLOB    NOT NULL, -- the next 256 KiB of the file, compressed with zstd
	PRIMARY KEY (attachment_id, number)
);

-- The words of text snapshots, by which searches find their links: rowid is the link. They are made by
-- waymark.SnapshotWords, separated by spaces. The tokenizer only splits them: letters that are not ASCII
-- are parts of words. No more is stored than which links have a word, and no text.
CREATE VIRTUAL TABLE snapshot_words USING fts5 (words, content = '', contentless_delete = 1, detail = none, prefix = '1 2 3', tokenize = 'ascii');

CREATE TRIGGER links_snapshot_words AFTER DELETE ON links BEGIN
	DELETE FROM snapshot_words WHERE rowid = old.id;
END;

-- The pictures that are shown with links, each once.
CREATE TABLE pictures (
	hash    TEXT    PRIMARY KEY, -- of the data: 32 hexadecimal digits of SHA-256
	type    TEXT    NOT NULL,
	width   INTEGER NOT NULL,
	height  INTEGER NOT NULL,
	bytes   INTEGER NOT NULL, -- of the data
	used_at INTEGER NOT NULL, -- when a link got it for the last time
	data    BLOB    NOT NULL
);
CREATE INDEX pictures_by_used_at ON pictures (used_at, bytes);

-- Which pictures a link has. All links to a site share its icon.
CREATE TABLE link_pictures (
	link_id INTEGER NOT NULL REFERENCES links (id) ON DELETE CASCADE,
	kind    INTEGER NOT NULL, -- 1 thumbnail, 2 icon of the site
	hash    TEXT    NOT NULL REFERENCES pictures (hash),
	PRIMARY KEY (link_id, kind)
);
CREATE INDEX link_pictures_by_hash ON link_pictures (hash);
