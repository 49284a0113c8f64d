-- What the checks of the URLs of links have found, and when the next ones are due.

-- +goose Up
-- A link has a row from the time when its first check was planned. To claim a check, a server
-- sets due_at to the time when another server may claim it, in case this one does not finish.
CREATE TABLE link_checks (
	link_id      BIGINT PRIMARY KEY REFERENCES links (id) ON DELETE CASCADE,
	user_id      BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- who shares the servers with others
	due_at       BIGINT NOT NULL,
	checked_at   BIGINT NOT NULL, -- of the last check; 0 before the first
	check_result      BIGINT NOT NULL,
	reason       TEXT    NOT NULL,
	code         BIGINT NOT NULL,
	new_url      TEXT    NOT NULL, -- to which the page has moved
	doubts       BIGINT NOT NULL, -- the number of the last checks that were in doubt
	dead_days    BIGINT NOT NULL, -- the number of days on which they found no page
	last_dead_at BIGINT NOT NULL,
	last_checks       TEXT    NOT NULL  -- the last 30
);
CREATE INDEX link_checks_by_due_at ON link_checks (user_id, due_at);

-- What was found about another URL says nothing.
-- +goose StatementBegin
CREATE FUNCTION forget_checks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM link_checks WHERE link_id = NEW.id;
	RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER links_url_changed AFTER UPDATE OF url ON links FOR EACH ROW WHEN (NEW.url <> OLD.url) EXECUTE FUNCTION forget_checks();

-- +goose Down
DROP TRIGGER links_url_changed ON links;
DROP FUNCTION forget_checks;
DROP TABLE link_checks;
