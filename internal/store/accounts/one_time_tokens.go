package accounts

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// maxSetups is the number of invitations with Setup that are valid: several servers of a new
// database can start at once, and each shows the URL with its own token.
const maxSetups = 10

// CreateInvitation creates an invitation. Only the hash of its token is stored. It returns
// waymark.ErrForbidden if its creator is not an administrator. One with Setup has no creator
// and replaces all but the nine latest ones; it returns waymark.ErrConflict if there is a user.
func (s *Store) CreateInvitation(ctx context.Context, invitation waymark.Invitation, hash []byte) (waymark.Invitation, error) {
	err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		invitation.CreatedAt = s.now()
		if invitation.Setup {
			if err := noUsers(ctx, q); err != nil {
				return err
			}
			if _, err := q.Exec(ctx, `
				DELETE FROM invitations
				WHERE setup AND id NOT IN (
					SELECT id
					FROM invitations
					WHERE setup
					ORDER BY id DESC
					LIMIT $1)`, maxSetups-1); err != nil {
				return err
			}
		} else {
			creator, err := enabledAdministrator(ctx, q, invitation.CreatedBy)
			if err != nil {
				return err
			}
			if err := AddAuditEvent(ctx, q, "invitation added", creator.Name, invitationDetail(invitation)); err != nil {
				return err
			}
		}
		ids, err := table.Insert[waymark.InvitationID](ctx, q, &Invitations, []invitationRow{{invitation, table.HashText(hash)}})
		if err == nil {
			invitation.ID = ids[0]
		}
		return err
	})
	return invitation, err
}

// invitationDetail describes an invitation in an audit event.
func invitationDetail(invitation waymark.Invitation) string {
	var parts []string
	if invitation.Name != "" {
		parts = append(parts, "for "+invitation.Name)
	}
	if invitation.Admin {
		parts = append(parts, "as an administrator")
	}
	return strings.Join(parts, ", ")
}

// enabledAdministrator returns the user who creates a one-time token, or waymark.ErrForbidden
// if they are not an administrator, or disabled. It locks the user, so that no token is created
// after the user's tokens were deleted.
func enabledAdministrator(ctx context.Context, q database.Querier, id waymark.UserID) (table.UserRow, error) {
	row, err := table.Users.Get(ctx, q, "e.id = $1 AND e.admin AND NOT e.disabled"+q.RowLock(), id)
	if errors.Is(err, waymark.ErrNotFound) {
		err = waymark.ErrForbidden
	}
	return row, err
}

// HasUsers reports whether there is a user.
func (s *Store) HasUsers(ctx context.Context) (bool, error) { return hasUsers(ctx, s.db.Querier()) }

func hasUsers(ctx context.Context, q database.Querier) (bool, error) {
	return database.Exists(ctx, q, "users")
}

// noUsers returns waymark.ErrConflict if there is a user.
func noUsers(ctx context.Context, q database.Querier) error {
	some, err := hasUsers(ctx, q)
	if err == nil && some {
		return waymark.ErrConflict
	}
	return err
}

// Invitations returns the invitations that have not expired, the newest first.
func (s *Store) Invitations(ctx context.Context) ([]waymark.Invitation, error) {
	rows, err := Invitations.All(ctx, s.db.Querier(), "NOT e.setup AND e.expires_at > $1 ORDER BY e.id DESC", s.now())
	return waymark.Map(rows, func(row invitationRow) waymark.Invitation { return row.Invitation }), err
}

// DeleteInvitation deletes an invitation. by withdraws it.
func (s *Store) DeleteInvitation(ctx context.Context, id waymark.InvitationID, by waymark.User) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		row, err := Invitations.Get(ctx, q, "e.id = $1 AND NOT e.setup"+q.RowLock(), id)
		if err != nil {
			return err
		}
		if _, err := q.Exec(ctx, "DELETE FROM invitations WHERE id = $1", id); err != nil {
			return err
		}
		return AddAuditEvent(ctx, q, "invitation withdrawn", by.Name, invitationDetail(row.Invitation))
	})
}

// Invitation returns the valid invitation with that hash.
func (s *Store) Invitation(ctx context.Context, hash []byte) (waymark.Invitation, error) {
	return s.invitation(ctx, s.db.Querier(), hash)
}

func (s *Store) invitation(ctx context.Context, q database.Querier, hash []byte) (waymark.Invitation, error) {
	row, err := Invitations.Get(ctx, q, "e.hash = $1 AND (e.expires_at > $2 OR e.expires_at = 0)"+q.RowLock(), table.HashText(hash), s.now())
	if err != nil || !row.Setup {
		return row.Invitation, err
	}
	if err := noUsers(ctx, q); errors.Is(err, waymark.ErrConflict) {
		return waymark.Invitation{}, waymark.ErrNotFound
	} else if err != nil {
		return waymark.Invitation{}, err
	}
	return row.Invitation, nil
}

// AcceptInvitation deletes the valid invitation with that hash and creates its user. It
// returns waymark.ErrConflict if another user has the name, and the invitation stays valid. Of
// several invitations with Setup only one can be accepted. The user signs in with the password or, if it is
// not nil, with an account at a provider. The error is waymark.ErrConflict if that belongs to another user.
func (s *Store) AcceptInvitation(ctx context.Context, hash []byte, user waymark.User, passwordHash string, identity *waymark.Identity) (waymark.User, error) {
	err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if err := q.Lock(ctx, administratorsLock); err != nil {
			return err
		}
		invitation, err := s.invitation(ctx, q, hash)
		if err != nil {
			return err
		}
		if err := table.OrNotFound(q.Exec(ctx, "DELETE FROM invitations WHERE id = $1 OR setup", invitation.ID)); err != nil {
			return err
		}
		user.Admin = invitation.Admin
		return s.insertUser(ctx, q, &user, passwordHash, identity)
	})
	return user, err
}

// CreatePasswordReset stores the hash of the token with which a user can set a new
// password. An earlier token of the user becomes invalid. It returns waymark.ErrForbidden if
// the creator is not an administrator.
func (s *Store) CreatePasswordReset(ctx context.Context, user waymark.UserID, reset waymark.PasswordReset, hash []byte) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		creator, err := enabledAdministrator(ctx, q, reset.CreatedBy)
		if err != nil {
			return err
		}
		if _, err := q.Exec(ctx, `
			INSERT INTO password_resets (user_id, hash, created_by, expires_at)
			VALUES ($1, $2, $3, $4)
			ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, created_by = excluded.created_by, expires_at = excluded.expires_at`,
			user, table.HashText(hash), reset.CreatedBy, reset.ExpiresAt); err != nil {
			return err
		}
		return addPasswordResetEvent(ctx, q, "password reset added", user, creator.User)
	})
}

// DeletePasswordReset makes the token with which a user can set a new password invalid. by
// withdraws it.
func (s *Store) DeletePasswordReset(ctx context.Context, user waymark.UserID, by waymark.User) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if err := table.OrNotFound(q.Exec(ctx, "DELETE FROM password_resets WHERE user_id = $1", user)); err != nil {
			return err
		}
		return addPasswordResetEvent(ctx, q, "password reset withdrawn", user, by)
	})
}

// addPasswordResetEvent adds an audit event for the password of a user.
func addPasswordResetEvent(ctx context.Context, q database.Querier, event string, user waymark.UserID, by waymark.User) error {
	row, err := table.Users.Get(ctx, q, "e.id = $1", user)
	if err != nil {
		return err
	}
	return AddAuditEvent(ctx, q, event, row.Name, "by "+by.Name)
}

// PasswordReset returns the user who can set a new password with the token with that hash,
// and when the token expires.
func (s *Store) PasswordReset(ctx context.Context, hash []byte) (waymark.User, waymark.Time, error) {
	type found struct {
		user    table.UserRow
		expires waymark.Time
	}
	scan := func(rows *sql.Rows, f *found) error {
		return rows.Scan(append(table.Users.Targets(&f.user, 1), &f.expires)...)
	}
	f, err := database.QueryOne(ctx, s.db.Querier(), scan, `
		SELECT `+table.Users.Selected+`, r.expires_at
		FROM password_resets AS r
		JOIN users AS e ON e.id = r.user_id
		WHERE r.hash = $1 AND r.expires_at > $2 AND NOT e.disabled`, table.HashText(hash), s.now())
	return f.user.User, f.expires, err
}

// UsePasswordReset sets the hash of the password of the user who has the token with that
// hash. The token becomes invalid, and what SetPasswordHash ends.
func (s *Store) UsePasswordReset(ctx context.Context, hash []byte, passwordHash, feedToken string) (waymark.User, error) {
	var row table.UserRow
	err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		id, err := database.QueryOne(ctx, q, database.ScanValue[waymark.UserID], `
			DELETE FROM password_resets
			WHERE hash = $1 AND expires_at > $2
			RETURNING user_id`, table.HashText(hash), s.now())
		if err != nil {
			return err
		}
		if row, err = table.Users.Get(ctx, q, "e.id = $1 AND NOT e.disabled"+q.RowLock(), id); err != nil {
			return err
		}
		return setPasswordHash(ctx, q, id, passwordHash, feedToken)
	})
	return row.User, err
}
