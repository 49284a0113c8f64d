-- A stored response can contain lists and tags of other users that were visible when it was
-- made. When such a list or tag is no longer visible to others, or deleted, these responses
-- are emptied: the request still counts as carried out.

-- +goose Up

ALTER TABLE idempotency_keys ADD COLUMN others INTEGER NOT NULL DEFAULT 0; -- 1 if the response has lists or tags of others
CREATE INDEX idempotency_keys_with_others ON idempotency_keys (user_id) WHERE others = 1;

-- +goose StatementBegin
CREATE FUNCTION empty_responses() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE idempotency_keys SET status = 0, response = '', others = 0 WHERE others = 1 AND user_id <> OLD.user_id;
	RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER lists_hidden AFTER UPDATE ON lists FOR EACH ROW WHEN (OLD.visible_to <= 0 AND OLD.visible_to IS DISTINCT FROM NEW.visible_to) EXECUTE FUNCTION empty_responses();
CREATE TRIGGER lists_hidden_by_delete AFTER DELETE ON lists FOR EACH ROW WHEN (OLD.visible_to <= 0) EXECUTE FUNCTION empty_responses();
CREATE TRIGGER tags_hidden AFTER UPDATE ON tags FOR EACH ROW WHEN (OLD.visible_to <= 0 AND OLD.visible_to IS DISTINCT FROM NEW.visible_to) EXECUTE FUNCTION empty_responses();
CREATE TRIGGER tags_hidden_by_delete AFTER DELETE ON tags FOR EACH ROW WHEN (OLD.visible_to <= 0) EXECUTE FUNCTION empty_responses();

-- +goose Down

DROP TRIGGER tags_hidden_by_delete ON tags;
DROP TRIGGER tags_hidden ON tags;
DROP TRIGGER lists_hidden_by_delete ON lists;
DROP TRIGGER lists_hidden ON lists;
DROP FUNCTION empty_responses;
DROP INDEX idempotency_keys_with_others;
ALTER TABLE idempotency_keys DROP COLUMN others;
