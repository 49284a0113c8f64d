-- What links learn from their pages, and the pages that are still to be fetched.

-- +goose Up
-- The texts of a link that were not typed, which come from its page: 1 title, 2 description,
-- 4 thumbnail. Nothing is known of older links, so that their texts are kept.
ALTER TABLE links ADD COLUMN learned INTEGER NOT NULL DEFAULT 0;

-- The links whose pages are to be fetched. To claim one, a server sets due_at to the time when
-- another server may claim it, in case this one does not finish.
CREATE TABLE page_fetches (
	link_id    INTEGER PRIMARY KEY REFERENCES links (id) ON DELETE CASCADE,
	user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- who shares the servers with others
	created_at INTEGER NOT NULL,
	due_at     INTEGER NOT NULL,
	attempts   INTEGER NOT NULL -- that have begun
);
CREATE INDEX page_fetches_by_due_at ON page_fetches (user_id, due_at);

-- +goose Down
DROP TABLE page_fetches;
ALTER TABLE links DROP COLUMN learned;
