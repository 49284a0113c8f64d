-- When hosts of other servers may be requested again, by any process on the database.

-- +goose Up
CREATE TABLE fetch_hosts (
	host    TEXT PRIMARY KEY,
	next_at INTEGER NOT NULL
);

-- +goose Down
DROP TABLE fetch_hosts;
