-- What the server does not do with the links of a user.

-- +goose Up
ALTER TABLE users
	ADD COLUMN no_metadata BOOLEAN NOT NULL DEFAULT FALSE,
	ADD COLUMN no_checks BOOLEAN NOT NULL DEFAULT FALSE;

-- +goose Down
ALTER TABLE users
	DROP COLUMN no_checks,
	DROP COLUMN no_metadata;
