-- The check_result of the last check of each link in the link itself, so that searches and lists can
-- filter by it, and when links became broken.

-- +goose Up
-- Triggers keep it: it is the check_result of the row in link_checks, 0 without one.
ALTER TABLE links ADD COLUMN check_result BIGINT NOT NULL DEFAULT 0;
UPDATE links SET check_result = c.check_result FROM link_checks AS c WHERE c.link_id = links.id AND c.check_result <> 0;

-- When the checks have made the link broken; 0 if it is not.
ALTER TABLE link_checks ADD COLUMN broken_at BIGINT NOT NULL DEFAULT 0;
UPDATE link_checks SET broken_at = last_dead_at WHERE dead_days >= 3;
CREATE INDEX link_checks_by_broken_at ON link_checks (user_id, broken_at) WHERE broken_at > 0;
CREATE INDEX link_checks_moved ON link_checks (user_id, link_id) WHERE check_result = 2;

-- +goose StatementBegin
CREATE FUNCTION set_check_result() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE links SET check_result = NEW.check_result WHERE id = NEW.link_id AND check_result <> NEW.check_result;
	RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION clear_check_result() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE links SET check_result = 0 WHERE id = OLD.link_id AND check_result <> 0;
	RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER link_checks_after_insert AFTER INSERT ON link_checks FOR EACH ROW WHEN (NEW.check_result <> 0) EXECUTE FUNCTION set_check_result();
CREATE TRIGGER link_checks_result_changed AFTER UPDATE OF check_result ON link_checks FOR EACH ROW WHEN (NEW.check_result <> OLD.check_result) EXECUTE FUNCTION set_check_result();
CREATE TRIGGER link_checks_after_delete AFTER DELETE ON link_checks FOR EACH ROW WHEN (OLD.check_result <> 0) EXECUTE FUNCTION clear_check_result();

-- +goose Down
DROP TRIGGER link_checks_after_delete ON link_checks;
DROP TRIGGER link_checks_result_changed ON link_checks;
DROP TRIGGER link_checks_after_insert ON link_checks;
DROP FUNCTION clear_check_result, set_check_result;
DROP INDEX link_checks_moved;
DROP INDEX link_checks_by_broken_at;
ALTER TABLE link_checks DROP COLUMN broken_at;
ALTER TABLE links DROP COLUMN check_result;
