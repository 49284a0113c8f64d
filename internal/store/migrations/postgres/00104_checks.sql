-- The requests to other servers: which pages are to be fetched, which links are to be checked, what the
-- checks found, and the pauses between requests to one host.

-- The links whose pages are to be fetched. Those that were saved by hand go first. To claim one,
-- a server sets due_at to the time when another server may claim it, in case this one does not finish.
CREATE TABLE page_fetches (
	link_id    BIGINT  PRIMARY KEY REFERENCES links (id) ON DELETE CASCADE,
	user_id    BIGINT  NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- the owner: all owners get the same share of the requests
	created_at BIGINT  NOT NULL,
	due_at     BIGINT  NOT NULL,
	attempts   BIGINT  NOT NULL, -- that have begun
	wants      BIGINT  NOT NULL, -- what the link is to get: bits of waymark.PageParts
	by_hand    BOOLEAN NOT NULL  -- a person saved this one link, and no attempt has failed
);
CREATE INDEX page_fetches_by_due_at ON page_fetches (user_id, by_hand, due_at);

-- The checks of a link: their results, and when the next one is due. A link has a row from the time when
-- its first check was planned. To claim a check, a server sets due_at as in page_fetches.
CREATE TABLE link_checks (
	link_id      BIGINT  PRIMARY KEY REFERENCES links (id) ON DELETE CASCADE,
	user_id      BIGINT  NOT NULL REFERENCES users (id) ON DELETE CASCADE, -- the owner: all owners get the same share of the requests
	due_at       BIGINT  NOT NULL,
	checked_at   BIGINT  NOT NULL, -- of the last check; 0 before the first
	check_result BIGINT  NOT NULL, -- of the last check
	reason       TEXT    COLLATE "C" NOT NULL,
	code         BIGINT  NOT NULL,
	new_url      TEXT    COLLATE "C" NOT NULL, -- to which the page has moved
	doubts       BIGINT  NOT NULL, -- the number of the last checks that were in doubt
	dead_days    BIGINT  NOT NULL, -- the number of days on which they found no page
	last_dead_at BIGINT  NOT NULL,
	broken_at    BIGINT  NOT NULL, -- when the checks have made the link broken; 0 if it is not
	last_checks  TEXT    COLLATE "C" NOT NULL  -- the last 30
);
CREATE INDEX link_checks_by_due_at ON link_checks (user_id, due_at);
CREATE INDEX link_checks_by_broken_at ON link_checks (user_id, broken_at) WHERE broken_at > 0;
CREATE INDEX link_checks_moved ON link_checks (user_id, link_id) WHERE check_result = 2;

-- The result of the last check is a column of the link too, 0 without one, because searches and lists
-- filter by it.
CREATE FUNCTION set_check_result() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE links SET check_result = NEW.check_result WHERE id = NEW.link_id AND check_result <> NEW.check_result;
	RETURN NULL;
END $$;
CREATE FUNCTION clear_check_result() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE links SET check_result = 0 WHERE id = OLD.link_id AND check_result <> 0;
	RETURN NULL;
END $$;
CREATE TRIGGER link_checks_after_insert AFTER INSERT ON link_checks FOR EACH ROW WHEN (NEW.check_result <> 0) EXECUTE FUNCTION set_check_result();
CREATE TRIGGER link_checks_result_changed AFTER UPDATE OF check_result ON link_checks FOR EACH ROW WHEN (NEW.check_result <> OLD.check_result) EXECUTE FUNCTION set_check_result();
CREATE TRIGGER link_checks_after_delete AFTER DELETE ON link_checks FOR EACH ROW WHEN (OLD.check_result <> 0) EXECUTE FUNCTION clear_check_result();

-- What was found about another URL says nothing, and its pictures are wrong.
CREATE FUNCTION forget_page() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM link_checks WHERE link_id = NEW.id;
	DELETE FROM link_pictures WHERE link_id = NEW.id;
	RETURN NULL;
END $$;
CREATE TRIGGER links_url_changed AFTER UPDATE OF url ON links FOR EACH ROW WHEN (NEW.url <> OLD.url) EXECUTE FUNCTION forget_page();

-- When a host may be requested again. It is a table because all processes on the database share the
-- pauses.
CREATE TABLE fetch_hosts (
	host    TEXT    COLLATE "C" PRIMARY KEY,
	next_at BIGINT  NOT NULL
);
