-- The undo of an import says why links were kept. The steps of older imports have another form.

-- +goose Up
DELETE FROM import_steps;
UPDATE imports SET steps = 0;
ALTER TABLE imports RENAME COLUMN undo_skipped TO kept_edited;
ALTER TABLE imports ADD COLUMN kept_with_notes INTEGER NOT NULL DEFAULT 0;

-- +goose Down
DELETE FROM import_steps;
UPDATE imports SET steps = 0;
ALTER TABLE imports DROP COLUMN kept_with_notes;
ALTER TABLE imports RENAME COLUMN kept_edited TO undo_skipped;
