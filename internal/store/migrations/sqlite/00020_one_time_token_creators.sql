-- Who made a one-time token. It stops working when its creator is no longer an administrator.

-- +goose Up

-- It is unknown who made the tokens that exist. They are valid for a week at most, and an
-- administrator can make new ones.
DELETE FROM invitations WHERE NOT setup;
DELETE FROM password_resets;
ALTER TABLE invitations ADD COLUMN created_by INTEGER REFERENCES users (id) ON DELETE CASCADE; -- NULL for a setup
ALTER TABLE password_resets ADD COLUMN created_by INTEGER REFERENCES users (id) ON DELETE CASCADE;

-- +goose Down
ALTER TABLE password_resets DROP COLUMN created_by;
ALTER TABLE invitations DROP COLUMN created_by;
