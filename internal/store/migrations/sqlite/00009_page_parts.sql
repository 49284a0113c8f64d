-- What links are to get from the pages that are still to be fetched.

-- +goose Up
ALTER TABLE page_fetches ADD COLUMN wants INTEGER NOT NULL DEFAULT 1; -- 1 texts

-- +goose Down
ALTER TABLE page_fetches DROP COLUMN wants;
