-- The verdict of the last visit to each link in the link itself, so that searches and lists can
-- filter by it, and when links became broken.

-- +goose Up
-- Triggers keep it: it is the verdict of the row in link_checks, 0 without one.
ALTER TABLE links ADD COLUMN verdict BIGINT NOT NULL DEFAULT 0;
UPDATE links SET verdict = c.verdict FROM link_checks AS c WHERE c.link_id = links.id AND c.verdict <> 0;

-- When the visits have made the link broken; 0 if it is not.
ALTER TABLE link_checks ADD COLUMN broken_at BIGINT NOT NULL DEFAULT 0;
UPDATE link_checks SET broken_at = last_dead_at WHERE dead_days >= 3;
CREATE INDEX link_checks_by_broken_at ON link_checks (user_id, broken_at) WHERE broken_at > 0;
CREATE INDEX link_checks_moved ON link_checks (user_id, link_id) WHERE verdict = 2;

-- +goose StatementBegin
CREATE FUNCTION set_verdict() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE links SET verdict = NEW.verdict WHERE id = NEW.link_id AND verdict <> NEW.verdict;
	RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION clear_verdict() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE links SET verdict = 0 WHERE id = OLD.link_id AND verdict <> 0;
	RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER link_checks_after_insert AFTER INSERT ON link_checks FOR EACH ROW WHEN (NEW.verdict <> 0) EXECUTE FUNCTION set_verdict();
CREATE TRIGGER link_checks_verdict_changed AFTER UPDATE OF verdict ON link_checks FOR EACH ROW WHEN (NEW.verdict <> OLD.verdict) EXECUTE FUNCTION set_verdict();
CREATE TRIGGER link_checks_after_delete AFTER DELETE ON link_checks FOR EACH ROW WHEN (OLD.verdict <> 0) EXECUTE FUNCTION clear_verdict();

-- +goose Down
DROP TRIGGER link_checks_after_delete ON link_checks;
DROP TRIGGER link_checks_verdict_changed ON link_checks;
DROP TRIGGER link_checks_after_insert ON link_checks;
DROP FUNCTION clear_verdict, set_verdict;
DROP INDEX link_checks_moved;
DROP INDEX link_checks_by_broken_at;
ALTER TABLE link_checks DROP COLUMN broken_at;
ALTER TABLE links DROP COLUMN verdict;
