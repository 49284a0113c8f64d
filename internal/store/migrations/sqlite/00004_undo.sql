-- What takes back the changes of the last hour that users made in pages.

-- +goose Up
CREATE TABLE undo_records (
	hash       TEXT PRIMARY KEY, -- the SHA-256 hash of the token
	user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	session_id INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	position   INTEGER NOT NULL, -- the number of bytes of all earlier ones of the user
	bytes      INTEGER NOT NULL,
	reverse    BLOB NOT NULL
);
CREATE INDEX undo_records_by_position ON undo_records (user_id, position);
CREATE INDEX undo_records_by_created_at ON undo_records (created_at);

-- +goose Down
DROP TABLE undo_records;
