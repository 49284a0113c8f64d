-- The words of the snapshots of pages, by which searches find their links: rowid is the link.

-- +goose Up
-- The words are made by waymark.SnapshotWords, separated by spaces. The tokenizer only splits them:
-- letters that are not ASCII are parts of words. No more is stored than which links have a word,
-- and no text.
CREATE VIRTUAL TABLE snapshot_words USING fts5 (words, content = '', contentless_delete = 1, detail = none, prefix = '1 2 3', tokenize = 'ascii');

-- +goose StatementBegin
CREATE TRIGGER links_snapshot_words AFTER DELETE ON links BEGIN
	DELETE FROM snapshot_words WHERE rowid = old.id;
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER links_snapshot_words;
DROP TABLE snapshot_words;
