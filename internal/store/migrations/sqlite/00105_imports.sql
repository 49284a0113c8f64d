-- Imports of files, and what takes back imports and other changes.

-- An import with its options and its progress, which the pages and the API show while it runs.
CREATE TABLE imports (
	id              INTEGER PRIMARY KEY AUTOINCREMENT,
	user_id         INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	file            TEXT    NOT NULL,
	format          TEXT    NOT NULL,
	folders         TEXT    NOT NULL,
	folder_names    TEXT    NOT NULL,
	on_duplicate    TEXT    NOT NULL,
	visibility      INTEGER NOT NULL,
	file_bytes      INTEGER NOT NULL,
	state           TEXT    NOT NULL,
	error           TEXT    NOT NULL,
	started_at      INTEGER NOT NULL,
	seen_at         INTEGER NOT NULL, -- a running import without news counts as interrupted
	finished_at     INTEGER NOT NULL,
	read_bytes      INTEGER NOT NULL,
	rows_read       INTEGER NOT NULL,
	added           INTEGER NOT NULL,
	updated         INTEGER NOT NULL,
	merged          INTEGER NOT NULL,
	skipped         INTEGER NOT NULL,
	failed          INTEGER NOT NULL,
	problems        INTEGER NOT NULL,
	steps           INTEGER NOT NULL, -- the number of steps that are not taken back
	undone          INTEGER NOT NULL, -- the number of links that its undo took back
	kept_edited     INTEGER NOT NULL, -- the number of links that the undo kept because they were edited
	kept_with_notes INTEGER NOT NULL  -- the number of links that the undo kept because they got notes
);
CREATE INDEX imports_by_user ON imports (user_id);

-- The first rows of a file that were not saved, or not as the file has them.
CREATE TABLE import_problems (
	import_id  INTEGER NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
	position   INTEGER NOT NULL,
	line       INTEGER NOT NULL,
	url        TEXT    NOT NULL,
	saved      BOOLEAN NOT NULL,
	text       TEXT    NOT NULL,
	field      TEXT    NOT NULL,
	rule       INTEGER NOT NULL,
	rule_limit INTEGER NOT NULL,
	PRIMARY KEY (import_id, position)
);

-- How to undo the changes that users made in pages in the last day, those that programs made for them, and the
-- imports. A record has one or several rows.
CREATE TABLE undo_records (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	hash       TEXT   , -- the SHA-256 hash of the token, NULL for an import
	session_id INTEGER NOT NULL, -- 0 for none
	api_key_id INTEGER, -- of the program that made the change, NULL if a user did
	import_id  INTEGER REFERENCES imports (id) ON DELETE CASCADE, -- NULL if it is no import
	part       INTEGER NOT NULL, -- of the record, from 1
	created_at INTEGER NOT NULL,
	position   INTEGER NOT NULL, -- the number of bytes of all earlier records of the user, 0 for an import
	bytes      INTEGER NOT NULL, -- of the record, 0 for an import
	steps      BLOB    NOT NULL  -- a list of undo.Step
);
CREATE INDEX undo_records_by_hash ON undo_records (hash);
CREATE INDEX undo_records_by_import ON undo_records (import_id, part);
CREATE INDEX undo_records_by_position ON undo_records (user_id, position);
CREATE INDEX undo_records_by_created_at ON undo_records (created_at);

-- Texts of links and lists as a program has sent them, where Waymark keeps another one: a shorter title, a list in
-- another place. A row holds while the value is still the one that was kept.
CREATE TABLE sent_texts (
	user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	link_id INTEGER REFERENCES links (id) ON DELETE CASCADE,
	list_id INTEGER REFERENCES lists (id) ON DELETE CASCADE, -- instead of a link
	field   TEXT    NOT NULL,
	sent    TEXT    NOT NULL, -- as a quoted string of Go: it can contain U+0000
	kept    TEXT    NOT NULL
);
CREATE INDEX sent_texts_by_user ON sent_texts (user_id);
CREATE INDEX sent_texts_by_link ON sent_texts (link_id) WHERE link_id IS NOT NULL;
CREATE INDEX sent_texts_by_list ON sent_texts (list_id) WHERE list_id IS NOT NULL;
