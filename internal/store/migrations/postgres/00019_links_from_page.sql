-- from_page says what the column contains: the texts of a link that come from its page.

-- +goose Up
ALTER TABLE links RENAME COLUMN learned TO from_page;

-- +goose Down
ALTER TABLE links RENAME COLUMN from_page TO learned;
