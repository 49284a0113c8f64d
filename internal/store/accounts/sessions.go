package accounts

import (
	"context"
	"database/sql"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// CreateSession creates a session. Only the hash of its secret is stored. passwordHash is the hash of
// the password that the user has sent, "" if there was none. CreateSession returns
// waymark.ErrWrongPassword if the password was changed since then, or the user disabled: that has ended
// the sessions that there were. Of a user's sessions, it keeps the waymark.MaxSessions that were last seen.
func (s *Store) CreateSession(ctx context.Context, session waymark.Session, hash []byte, passwordHash string) (waymark.Session, error) {
	err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		user, err := table.Users.Get(ctx, q, "e.id = $1"+q.RowLock(), session.UserID)
		if err != nil {
			return err
		}
		if user.Disabled || passwordHash != "" && user.PasswordHash != passwordHash {
			return waymark.ErrWrongPassword
		}
		ids, err := table.Insert[waymark.SessionID](ctx, q, &Sessions, []sessionRow{{session, table.HashText(hash)}})
		if err != nil {
			return err
		}
		session.ID = ids[0]
		_, err = q.Exec(ctx, `
			DELETE FROM sessions
			WHERE user_id = $1 AND id NOT IN (
				SELECT id
				FROM sessions
				WHERE user_id = $1
				ORDER BY last_seen_at DESC, id DESC
				LIMIT $2)`, session.UserID, waymark.MaxSessions)
		return err
	})
	return session, err
}

// ConfirmSession stores that the user of a session has just proved who they are.
func (s *Store) ConfirmSession(ctx context.Context, id waymark.SessionID) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		return table.OrNotFound(q.Exec(ctx, `
			UPDATE sessions
			SET confirmed_at = $1
			WHERE id = $2`, s.now(), id))
	})
}

// Sessions returns a user's sessions, the one that was last seen first.
func (s *Store) Sessions(ctx context.Context, user waymark.UserID) ([]waymark.Session, error) {
	scan := table.ScanPart(&Sessions, func(row *sessionRow) waymark.Session { return row.Session })
	return database.QueryAll(ctx, s.db.Querier(), scan, `
		SELECT `+Sessions.Selected+`
		FROM sessions AS e
		WHERE e.user_id = $1
		ORDER BY e.last_seen_at DESC, e.id DESC`, user)
}

// SessionOwner returns the session with that hash, its user and the user's settings.
func (s *Store) SessionOwner(ctx context.Context, hash []byte) (waymark.Session, waymark.User, waymark.Settings, error) {
	type owned struct {
		session sessionRow
		user    table.UserRow
	}
	scan := func(rows *sql.Rows, o *owned) error {
		return rows.Scan(append(Sessions.Targets(&o.session, len(table.Users.Read)), table.Users.Targets(&o.user, 0)...)...)
	}
	found, err := database.QueryOne(ctx, s.db.Querier().Brief(), scan, `
		SELECT `+Sessions.Selected+`, `+table.Users.SelectedAs("u")+`
		FROM sessions AS e
		JOIN users AS u ON u.id = e.user_id
		WHERE e.hash = $1`, table.HashText(hash))
	return found.session.Session, found.user.User, found.user.Settings, err
}

// SaveSessionUse stores the times when sessions were last seen, in one transaction.
func (s *Store) SaveSessionUse(ctx context.Context, seen map[waymark.SessionID]waymark.Time) error {
	return saveUse(ctx, s, "sessions", "last_seen_at", seen)
}

// DeleteSession deletes a user's session.
func (s *Store) DeleteSession(ctx context.Context, user waymark.UserID, id waymark.SessionID) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		return table.OrNotFound(q.Exec(ctx, `
			DELETE FROM sessions
			WHERE user_id = $1 AND id = $2`, user, id))
	})
}

// DeleteOtherSessions deletes a user's sessions except keep.
func (s *Store) DeleteOtherSessions(ctx context.Context, user waymark.UserID, keep waymark.SessionID) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		return endSessions(ctx, q, user, keep)
	})
}

func endSessions(ctx context.Context, q database.Querier, user waymark.UserID, keep waymark.SessionID) error {
	_, err := q.Exec(ctx, `
		DELETE FROM sessions
		WHERE user_id = $1 AND id <> $2`, user, keep)
	return err
}

// PruneCredentials deletes the sessions that have ended, the one-time tokens, requests to providers and the
// trust in browsers that have expired, and the API keys whose revocation can no longer be undone. Call it
// regularly.
func (s *Store) PruneCredentials(ctx context.Context, limits waymark.SessionLimits) error {
	now := s.now()
	ended := `(expires_at <= $1 OR last_seen_at <= CASE WHEN persistent THEN CAST($2 AS BIGINT) ELSE CAST($3 AS BIGINT) END)`
	some, err := database.QueryOne(ctx, s.db.Querier(), database.ScanValue[bool], `
		SELECT EXISTS (SELECT 1 FROM sessions WHERE `+ended+`)
			OR EXISTS (SELECT 1 FROM invitations WHERE NOT setup AND expires_at <= $1)
			OR EXISTS (SELECT 1 FROM password_resets WHERE expires_at <= $1)
			OR EXISTS (SELECT 1 FROM provider_requests WHERE expires_at <= $1)
			OR EXISTS (SELECT 1 FROM trusted_browsers WHERE expires_at <= $1)
			OR EXISTS (SELECT 1 FROM passkey_challenges WHERE expires_at <= $1)
			OR EXISTS (SELECT 1 FROM revoked_api_keys WHERE revoked_at <= $4)`,
		now, now.Add(-limits.PersistentIdle), now.Add(-limits.Idle), now.Add(-UndoRevocation))
	if err != nil || !some { // the usual case needs no write transaction
		return err
	}
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if _, err := q.Exec(ctx, `
			DELETE FROM sessions
			WHERE `+ended, now, now.Add(-limits.PersistentIdle), now.Add(-limits.Idle)); err != nil {
			return err
		}
		if _, err := q.Exec(ctx, `
			DELETE FROM invitations
			WHERE NOT setup AND expires_at <= $1`, now); err != nil {
			return err
		}
		for _, table := range []string{"password_resets", "provider_requests", "trusted_browsers", "passkey_challenges"} {
			if _, err := q.Exec(ctx, "DELETE FROM "+table+" WHERE expires_at <= $1", now); err != nil {
				return err
			}
		}
		_, err := q.Exec(ctx, `
			DELETE FROM revoked_api_keys
			WHERE revoked_at <= $1`, now.Add(-UndoRevocation))
		return err
	})
}
