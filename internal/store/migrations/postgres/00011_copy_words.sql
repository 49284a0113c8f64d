-- The words of the copies of pages, by which searches find their links.

-- +goose Up
CREATE TABLE copy_words (
	link_id BIGINT   PRIMARY KEY REFERENCES links (id) ON DELETE CASCADE,
	words   tsvector NOT NULL -- made by waymark.CopyWords, without positions
);
CREATE INDEX copy_words_by_word ON copy_words USING gin (words);

-- +goose Down
DROP TABLE copy_words;
