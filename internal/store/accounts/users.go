package accounts

import (
	"context"
	"database/sql"

	"waymark/internal/database"
	"waymark/internal/store/queue"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// CreateUser creates a user and returns it with its id. It returns waymark.ErrConflict if
// another user has the name, without regard to case. An empty hash matches no password.
func (s *Store) CreateUser(ctx context.Context, user waymark.User, passwordHash string) (waymark.User, error) {
	err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		return s.insertUser(ctx, q, &user, passwordHash, nil)
	})
	return user, err
}

// HasOtherUsers reports whether there is a user besides this one.
func (s *Store) HasOtherUsers(ctx context.Context, user waymark.UserID) (bool, error) {
	return database.Exists(ctx, s.db.Querier(), "users WHERE id <> $1", user)
}

// Users returns all users, sorted by name.
func (s *Store) Users(ctx context.Context) ([]waymark.User, error) {
	rows, err := table.Users.All(ctx, s.db.Querier(), "true ORDER BY e.name_folded")
	return waymark.Map(rows, func(row table.UserRow) waymark.User { return row.User }), err
}

// UserByName returns the user with a name, without regard to case.
func (s *Store) UserByName(ctx context.Context, name string) (waymark.User, error) {
	row, err := userByName(ctx, s.db.Querier(), name)
	return row.User, err
}

func userByName(ctx context.Context, q database.Querier, name string) (table.UserRow, error) {
	if !table.StorableText(name) {
		return table.UserRow{}, waymark.ErrNotFound
	}
	return table.Users.Get(ctx, q, "e.name_folded = $1"+q.RowLock(), waymark.Fold(name))
}

// ChangeUser updates the user with a name with the function change, and returns the
// result. Saved searches for the links of a user follow a new name. It ends what updateUser
// ends. permit sees the user as they will be.
func (s *Store) ChangeUser(ctx context.Context, name string, change func(*waymark.User) error, permit waymark.UserPermit) (waymark.User, error) {
	found, err := s.UserByName(ctx, name)
	if err != nil {
		return waymark.User{}, err
	}
	return s.changeUser(ctx, found.ID, change, permit)
}

// SetUserState makes a user an administrator or not, and disables or enables them, as ChangeUser does.
func (s *Store) SetUserState(ctx context.Context, id waymark.UserID, change func(*waymark.User), permit waymark.UserPermit) (waymark.User, error) {
	return s.changeUser(ctx, id, func(user *waymark.User) error {
		change(user)
		return nil
	}, permit)
}

func (s *Store) changeUser(ctx context.Context, id waymark.UserID, change func(*waymark.User) error, permit waymark.UserPermit) (waymark.User, error) {
	var row table.UserRow
	err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) (err error) {
		row, err = PermitUser(ctx, q, id, func(user waymark.User, others int) error {
			if err := change(&user); err != nil {
				return err
			}
			return permit(user, others)
		})
		if err != nil {
			return err
		}
		before := row.Name
		if err := change(&row.User); err != nil {
			return err
		}
		if err := renameInSearches(ctx, q, before, row.Name); err != nil {
			return err
		}
		return updateUser(ctx, q, &row)
	})
	return row.User, err
}

// updateUser updates a user. The sessions of a disabled user end, and the one-time tokens that
// were created by a user who is not an administrator, or no longer, become invalid.
func updateUser(ctx context.Context, q database.Querier, row *table.UserRow) error {
	if err := table.Users.Update(ctx, q, int64(row.ID), row); err != nil {
		return err
	}
	if !row.Admin || row.Disabled {
		if err := deleteOneTimeTokens(ctx, q, row.ID); err != nil {
			return err
		}
	}
	if !row.Disabled {
		return nil
	}
	return endSessions(ctx, q, row.ID, 0)
}

// deleteOneTimeTokens deletes the one-time tokens that a user has created.
func deleteOneTimeTokens(ctx context.Context, q database.Querier, creator waymark.UserID) error {
	for _, table := range []string{"invitations", "password_resets"} {
		if _, err := q.Exec(ctx, "DELETE FROM "+table+" WHERE created_by = $1", creator); err != nil {
			return err
		}
	}
	return nil
}

// ChangeSettings updates the settings and the default visibility of a user with the function
// change, and returns the result.
func (s *Store) ChangeSettings(ctx context.Context, id waymark.UserID, change func(*waymark.Settings, *waymark.DefaultVisibility) error) (waymark.Settings, waymark.DefaultVisibility, error) {
	var row table.UserRow
	err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) (err error) {
		if row, err = table.Users.Get(ctx, q, "e.id = $1"+q.RowLock(), id); err != nil {
			return err
		}
		before := row.Settings
		if err := change(&row.Settings, &row.DefaultVisibility); err != nil {
			return err
		}
		if row.NoMetadata && !before.NoMetadata {
			if err := queue.ForgetTexts(ctx, q, id); err != nil {
				return err
			}
		}
		return table.Users.Update(ctx, q, int64(id), &row)
	})
	return row.Settings, row.DefaultVisibility, err
}

// Settings returns the settings of a user.
func (s *Store) Settings(ctx context.Context, id waymark.UserID) (waymark.Settings, error) {
	row, err := table.Users.Get(ctx, s.db.Querier(), "e.id = $1", id)
	return row.Settings, err
}

// PasswordHash returns the user with a name and the hash of their password, which is "" for
// a user without one.
func (s *Store) PasswordHash(ctx context.Context, name string) (waymark.User, string, error) {
	row, err := userByName(ctx, s.db.Querier(), name)
	return row.User, row.PasswordHash, err
}

// CredentialsOf returns a user and the hash of their password, as PasswordHash does.
func (s *Store) CredentialsOf(ctx context.Context, id waymark.UserID) (waymark.User, string, error) {
	row, err := table.Users.Get(ctx, s.db.Querier(), "e.id = $1", id)
	return row.User, row.PasswordHash, err
}

// SetPasswordHash replaces the hash of a user's password. It ends the user's sessions and their trust in browsers, and makes
// one-time tokens invalid: those with which the user can set a new password, and those that the user
// has created, because another person who knew the old password could have created them. With a
// feedToken it also revokes the user's API keys, and replaces the token of their feeds if they have one.
func (s *Store) SetPasswordHash(ctx context.Context, id waymark.UserID, hash, feedToken string) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		return setPasswordHash(ctx, q, id, hash, feedToken)
	})
}

// ReplacePasswordHash replaces the hash of a user's password by another hash of the same
// password, unless it was changed in the meantime. Sessions stay valid.
func (s *Store) ReplacePasswordHash(ctx context.Context, id waymark.UserID, old, hash string) error {
	_, err := s.db.Exec(ctx, `
		UPDATE users
		SET password_hash = $1
		WHERE id = $2 AND password_hash = $3`, hash, id, old)
	return err
}

func setPasswordHash(ctx context.Context, q database.Querier, id waymark.UserID, hash, feedToken string) error {
	if err := table.OrNotFound(q.Exec(ctx, `
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
	if err := deleteOneTimeTokens(ctx, q, id); err != nil {
		return err
	}
	if err := endTrust(ctx, q, id); err != nil {
		return err
	}
	if err := endSessions(ctx, q, id, 0); err != nil || feedToken == "" {
		return err
	}
	for _, table := range []string{"api_keys", "revoked_api_keys"} {
		if _, err := q.Exec(ctx, "DELETE FROM "+table+" WHERE user_id = $1", id); err != nil {
			return err
		}
	}
	_, err := q.Exec(ctx, `
		UPDATE feed_tokens
		SET token = $1
		WHERE user_id = $2`, feedToken, id)
	return err
}

// administratorsLock is the lock for transactions that depend on how many administrators there are.
const administratorsLock = 0x61646d69

// PermitUser locks a user and the number of administrators, and returns the user if permit
// allows the change.
func PermitUser(ctx context.Context, q database.Querier, id waymark.UserID, permit waymark.UserPermit) (table.UserRow, error) {
	if err := q.Lock(ctx, administratorsLock); err != nil {
		return table.UserRow{}, err
	}
	row, err := table.Users.Get(ctx, q, "e.id = $1"+q.RowLock(), id)
	if err != nil {
		return table.UserRow{}, err
	}
	others, err := database.Count(ctx, q, "users WHERE admin AND NOT disabled AND id <> $1", id)
	if err != nil {
		return table.UserRow{}, err
	}
	return row, permit(row.User, others)
}

// UserSummaries returns all users, sorted by name.
func (s *Store) UserSummaries(ctx context.Context) ([]waymark.UserSummary, error) {
	scan := func(rows *sql.Rows, u *waymark.UserSummary) error {
		var row table.UserRow
		var keyUsed, before waymark.Time
		if err := rows.Scan(append(table.Users.Targets(&row, 6), &u.Links, &u.LastSeenAt, &keyUsed, &before, &u.PasswordReset.CreatedBy, &u.PasswordReset.ExpiresAt)...); err != nil {
			return err
		}
		u.User, u.LastSeenAt = row.User, max(u.LastSeenAt, keyUsed, before)
		return nil
	}
	return database.QueryAll(ctx, s.db.Querier(), scan, `
		SELECT `+table.Users.Selected+`, COALESCE(c.links, 0), COALESCE(s.seen, 0), COALESCE(k.used, 0), COALESCE(l.at, 0),
			COALESCE(r.created_by, 0), COALESCE(r.expires_at, 0)
		FROM users AS e
		LEFT JOIN (
			SELECT user_id, COUNT(*) AS links
			FROM links
			WHERE visible_to IS NOT NULL
			GROUP BY user_id) AS c ON c.user_id = e.id
		LEFT JOIN (
			SELECT user_id, MAX(last_seen_at) AS seen
			FROM sessions
			GROUP BY user_id) AS s ON s.user_id = e.id
		LEFT JOIN (
			SELECT user_id, MAX(last_used_at) AS used
			FROM api_keys
			GROUP BY user_id) AS k ON k.user_id = e.id
		LEFT JOIN last_seen AS l ON l.user_id = e.id
		LEFT JOIN password_resets AS r ON r.user_id = e.id AND r.expires_at > $1
		ORDER BY e.name_folded`, s.now())
}

// UserNames returns the names of users by their ids. Ids of no user are not in the result.
func (s *Store) UserNames(ctx context.Context, ids []waymark.UserID) (map[waymark.UserID]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	q := s.db.Querier()
	a := q.Args()
	return database.QueryMap[waymark.UserID, string](ctx, q, `
		SELECT e.id, e.name
		FROM users AS e
		WHERE e.id `+database.In(a, ids), a.Values...)
}
