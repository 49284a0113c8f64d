-- What the checks of the URLs of links have found, and when the next ones are due.

-- +goose Up
-- A link has a row from the time when its first check was planned. To claim a check, a server
-- sets due_at to the time when another server may claim it, in case this one does not finish.
CREATE TABLE link_checks (
	link_id      INTEGER PRIMARY KEY REFERENCES links (id) ON DELETE CASCADE,
	user_id      INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- who shares the servers with others
	due_at       INTEGER NOT NULL,
	checked_at   INTEGER NOT NULL, -- of the last check; 0 before the first
	check_result      INTEGER NOT NULL,
	reason       TEXT    NOT NULL,
	code         INTEGER NOT NULL,
	new_url      TEXT    NOT NULL, -- to which the page has moved
	doubts       INTEGER NOT NULL, -- the number of the last checks that were in doubt
	dead_days    INTEGER NOT NULL, -- the number of days on which they found no page
	last_dead_at INTEGER NOT NULL,
	last_checks       TEXT    NOT NULL  -- the last 30
);
CREATE INDEX link_checks_by_due_at ON link_checks (user_id, due_at);

-- What was found about another URL says nothing.
-- +goose StatementBegin
CREATE TRIGGER links_url_changed AFTER UPDATE OF url ON links WHEN new.url <> old.url BEGIN
	DELETE FROM link_checks WHERE link_id = new.id;
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER links_url_changed;
DROP TABLE link_checks;
