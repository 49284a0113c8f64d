package store

import (
	"context"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// CreateUser creates a user and returns it with its id. It returns waymark.ErrConflict if
// another user has the name, without regard to case. An empty hash matches no password.
func (s *Store) CreateUser(ctx context.Context, user waymark.User, passwordHash string) (waymark.User, error) {
	err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		user.CreatedAt = s.now()
		ids, err := insert[waymark.UserID](ctx, q, &users, []userRow{{User: user, passwordHash: passwordHash}})
		if err == nil {
			user.ID = ids[0]
		}
		return err
	})
	return user, err
}

// Users returns all users, sorted by name.
func (s *Store) Users(ctx context.Context) ([]waymark.User, error) {
	rows, err := database.QueryAll(ctx, s.db.Querier(), users.scan, `
		SELECT `+users.selected+`
		FROM users AS e
		ORDER BY e.name_folded`)
	if err != nil {
		return nil, err
	}
	all := make([]waymark.User, len(rows))
	for i, row := range rows {
		all[i] = row.User
	}
	return all, nil
}

// UserByName returns the user with a name, without regard to case.
func (s *Store) UserByName(ctx context.Context, name string) (waymark.User, error) {
	row, err := userByName(ctx, s.db.Querier(), name)
	return row.User, err
}

func userByName(ctx context.Context, q database.Querier, name string) (userRow, error) {
	return users.get(ctx, q, "e.name_folded = $1"+q.RowLock(), waymark.Fold(name))
}

// ChangeUser updates the user with a name with the function change, and returns the
// result. The sessions of a disabled user end.
func (s *Store) ChangeUser(ctx context.Context, name string, change func(*waymark.User) error) (waymark.User, error) {
	var row userRow
	err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) (err error) {
		if row, err = userByName(ctx, q, name); err != nil {
			return err
		}
		if err := change(&row.User); err != nil {
			return err
		}
		if err := users.update(ctx, q, int64(row.ID), &row); err != nil || !row.Disabled {
			return err
		}
		return endSessions(ctx, q, row.ID, 0)
	})
	return row.User, err
}

// SaveSettings replaces the settings of a user.
func (s *Store) SaveSettings(ctx context.Context, id waymark.UserID, settings waymark.Settings) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		row, err := users.get(ctx, q, "e.id = $1"+q.RowLock(), id)
		if err != nil {
			return err
		}
		row.Settings = settings
		return users.update(ctx, q, int64(id), &row)
	})
}

// Settings returns the settings of a user.
func (s *Store) Settings(ctx context.Context, id waymark.UserID) (waymark.Settings, error) {
	row, err := users.get(ctx, s.db.Querier(), "e.id = $1", id)
	return row.Settings, err
}

// PasswordHash returns the user with a name and the hash of their password, which is "" for
// a user without one.
func (s *Store) PasswordHash(ctx context.Context, name string) (waymark.User, string, error) {
	row, err := userByName(ctx, s.db.Querier(), name)
	return row.User, row.passwordHash, err
}

// SetPasswordHash replaces the hash of a user's password. It ends the user's sessions
// except keep, and makes links to set a new password invalid.
func (s *Store) SetPasswordHash(ctx context.Context, id waymark.UserID, hash string, keep waymark.SessionID) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		return setPasswordHash(ctx, q, id, hash, keep)
	})
}

func setPasswordHash(ctx context.Context, q database.Querier, id waymark.UserID, hash string, keep waymark.SessionID) error {
	if err := orNotFound(q.Exec(ctx, `
		UPDATE users
		SET password_hash = $1
		WHERE id = $2`, hash, id)); err != nil {
		return err
	}
	if _, err := q.Exec(ctx, `
		DELETE FROM password_resets
		WHERE user_id = $1`, id); err != nil {
		return err
	}
	return endSessions(ctx, q, id, keep)
}

// DeleteUser deletes a user with all API keys, links, lists, tags and notes, and the
// notes of other users on the user's links.
func (s *Store) DeleteUser(ctx context.Context, id waymark.UserID) error {
	err := s.db.DeleteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if err := lockUser(ctx, q, id); err != nil {
			return err
		}
		err := orNotFound(q.Exec(ctx, `
			DELETE FROM users
			WHERE id = $1`, id))
		if err != nil {
			return err
		}
		_, err = q.Exec(ctx, `
			DELETE FROM counters
			WHERE user_id = $1`, id)
		return err
	})
	if err != nil {
		return err
	}
	s.eraseDeleted(ctx)
	return nil
}
