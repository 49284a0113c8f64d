-- A stored response can contain lists and tags of other users that were visible when it was
-- made. When such a list or tag is no longer visible to others, or deleted, these responses
-- are emptied: the request still counts as carried out.

-- +goose Up

ALTER TABLE idempotency_keys ADD COLUMN others INTEGER NOT NULL DEFAULT 0; -- 1 if the response has lists or tags of others
CREATE INDEX idempotency_keys_with_others ON idempotency_keys (user_id) WHERE others = 1;

-- +goose StatementBegin
CREATE TRIGGER lists_hidden AFTER UPDATE ON lists WHEN old.visible_to <= 0 AND new.visible_to IS NOT old.visible_to BEGIN
	UPDATE idempotency_keys SET status = 0, response = x'', others = 0 WHERE others = 1 AND user_id <> old.user_id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER lists_hidden_by_delete AFTER DELETE ON lists WHEN old.visible_to <= 0 BEGIN
	UPDATE idempotency_keys SET status = 0, response = x'', others = 0 WHERE others = 1 AND user_id <> old.user_id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tags_hidden AFTER UPDATE ON tags WHEN old.visible_to <= 0 AND new.visible_to IS NOT old.visible_to BEGIN
	UPDATE idempotency_keys SET status = 0, response = x'', others = 0 WHERE others = 1 AND user_id <> old.user_id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tags_hidden_by_delete AFTER DELETE ON tags WHEN old.visible_to <= 0 BEGIN
	UPDATE idempotency_keys SET status = 0, response = x'', others = 0 WHERE others = 1 AND user_id <> old.user_id;
END;
-- +goose StatementEnd

-- +goose Down

DROP TRIGGER tags_hidden_by_delete;
DROP TRIGGER tags_hidden;
DROP TRIGGER lists_hidden_by_delete;
DROP TRIGGER lists_hidden;
DROP INDEX idempotency_keys_with_others;
ALTER TABLE idempotency_keys DROP COLUMN others;
