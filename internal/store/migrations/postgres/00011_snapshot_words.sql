-- The words of the snapshots of pages, by which searches find their links.

-- +goose Up
CREATE TABLE snapshot_words (
	link_id BIGINT   PRIMARY KEY REFERENCES links (id) ON DELETE CASCADE,
	words   tsvector NOT NULL -- made by waymark.SnapshotWords, without positions
);
CREATE INDEX snapshot_words_by_word ON snapshot_words USING gin (words);

-- +goose Down
DROP TABLE snapshot_words;
