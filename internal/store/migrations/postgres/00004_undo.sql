-- What takes back the changes of the last hour that users made in pages.

-- +goose Up
CREATE TABLE undo_records (
	hash       TEXT COLLATE "C" PRIMARY KEY, -- the SHA-256 hash of the token
	user_id    BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
	session_id BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	position   BIGINT NOT NULL, -- the number of bytes of all earlier ones of the user
	bytes      BIGINT NOT NULL,
	reverse    BYTEA NOT NULL
);
CREATE INDEX undo_records_by_position ON undo_records (user_id, position);
CREATE INDEX undo_records_by_created_at ON undo_records (created_at);

-- +goose Down
DROP TABLE undo_records;
