-- Which snapshots of pages users want, of all their links and of one, and who wants no pictures.

-- +goose Up
ALTER TABLE users ADD COLUMN no_pictures BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE users ADD COLUMN snapshots TEXT NOT NULL DEFAULT '';
ALTER TABLE links ADD COLUMN snapshots TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE links DROP COLUMN snapshots;
ALTER TABLE users DROP COLUMN snapshots;
ALTER TABLE users DROP COLUMN no_pictures;
