-- Imports of files, with what takes them back.

-- +goose Up
CREATE TABLE imports (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user_id      INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	file         TEXT    NOT NULL,
	format       TEXT    NOT NULL,
	folders      TEXT    NOT NULL,
	folder_names TEXT    NOT NULL,
	on_duplicate TEXT    NOT NULL,
	visibility   INTEGER NOT NULL,
	file_bytes   INTEGER NOT NULL,
	state        TEXT    NOT NULL,
	error        TEXT    NOT NULL,
	started_at   INTEGER NOT NULL,
	seen_at      INTEGER NOT NULL, -- a running import without news counts as interrupted
	finished_at  INTEGER NOT NULL,
	read_bytes   INTEGER NOT NULL,
	rows_read    INTEGER NOT NULL,
	added        INTEGER NOT NULL,
	updated      INTEGER NOT NULL,
	merged       INTEGER NOT NULL,
	skipped      INTEGER NOT NULL,
	failed       INTEGER NOT NULL,
	problems     INTEGER NOT NULL,
	steps        INTEGER NOT NULL,
	undone       INTEGER NOT NULL,
	undo_skipped INTEGER NOT NULL
);
CREATE INDEX imports_by_user ON imports (user_id);

-- What takes back each transaction of an import: a record of package store/undo.
CREATE TABLE import_steps (
	import_id INTEGER NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
	step      INTEGER NOT NULL, -- negative for what comes last
	reverse   BLOB    NOT NULL,
	PRIMARY KEY (import_id, step)
);

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

-- +goose Down
DROP TABLE import_problems;
DROP TABLE import_steps;
DROP TABLE imports;
