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
// trust is the hash of the secret in the cookie of a browser that the user trusts from now on, nil for none.
func (s *Store) CreateSession(ctx context.Context, session waymark.Session, hash []byte, passwordHash string, trust []byte) (waymark.Session, error) {
	err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		user, err := table.Users.Get(ctx, q, "e.id = $1"+q.RowLock(), session.UserID)
		if err != nil {
			return err
		}
		if user.Disabled || passwordHash != "" && user.PasswordHash != passwordHash {
			return waymark.ErrWrongPassword
		}
		if trust != nil {
			if session.TrustID, err = s.trustBrowser(ctx, q, session.UserID, trust); err != nil {
				return err
			}
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

// ConfirmSession stores that the user of a session has just proved who they are, and the hash of the new secret of
// the session. used has the method and the passkey if that was a second factor, and is zero otherwise.
func (s *Store) ConfirmSession(ctx context.Context, id waymark.SessionID, hash []byte, used waymark.Session) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if err := table.OrNotFound(q.Exec(ctx, `
			UPDATE sessions
			SET confirmed_at = $1, hash = $2
			WHERE id = $3`, s.now(), table.HashText(hash), id)); err != nil || used.Method == "" {
			return err
		}
		return addFactor(ctx, q, id, used)
	})
}

// addFactor stores that the user of a session, who has signed in with a password, has also used a second
// factor.
func addFactor(ctx context.Context, q database.Querier, id waymark.SessionID, used waymark.Session) error {
	_, err := q.Exec(ctx, `
		UPDATE sessions
		SET method = $1, passkey_id = $2
		WHERE id = $3 AND method = $4`, used.Method, used.PasskeyID, id, waymark.ByPassword)
	return err
}

// Sessions returns a user's sessions, the one that was last seen first.
func (s *Store) Sessions(ctx context.Context, user waymark.UserID) ([]waymark.Session, error) {
	scan := func(rows *sql.Rows, session *waymark.Session) error {
		var row sessionRow
		err := rows.Scan(append(Sessions.Targets(&row, 2), &row.Passkey, &row.TrustedUntil)...)
		*session = row.Session
		return err
	}
	return database.QueryAll(ctx, s.db.Querier(), scan, `
		SELECT `+Sessions.Selected+`, COALESCE(p.name, ''), COALESCE(t.expires_at, 0)
		FROM sessions AS e
		LEFT JOIN passkeys AS p ON p.id = e.passkey_id
		LEFT JOIN trusted_browsers AS t ON t.id = e.trust_id AND t.expires_at > $2
		WHERE e.user_id = $1
		ORDER BY e.last_seen_at DESC, e.id DESC`, user, s.now())
}

// SessionOwner is the user of a session.
type SessionOwner struct {
	Session  waymark.Session
	User     waymark.User
	Settings waymark.Settings

	SecondFactor   bool // the user has one
	FactorRequired bool // administrators require one of the user
}

// SessionOwner returns the owner of the session with that hash.
func (s *Store) SessionOwner(ctx context.Context, hash []byte) (SessionOwner, error) {
	scan := func(rows *sql.Rows, owner *SessionOwner) error {
		var session sessionRow
		var user table.UserRow
		targets := append(Sessions.Targets(&session, len(table.Users.Read)+2), table.Users.Targets(&user, 2)...)
		err := rows.Scan(append(targets, &owner.FactorRequired, &owner.SecondFactor)...)
		owner.Session, owner.User, owner.Settings = session.Session, user.User, user.Settings
		return err
	}
	return database.QueryOne(ctx, s.db.Querier(), scan, `
		SELECT `+Sessions.Selected+`, `+table.Users.SelectedAs("u")+`, `+factorRequired+`,
			EXISTS (SELECT 1 FROM authenticators WHERE user_id = u.id) OR EXISTS (SELECT 1 FROM passkeys WHERE user_id = u.id)
		FROM sessions AS e
		JOIN users AS u ON u.id = e.user_id
		WHERE e.hash = $1`, table.HashText(hash))
}

// SaveSessionUse stores the times when sessions were last seen, in one transaction.
func (s *Store) SaveSessionUse(ctx context.Context, seen map[waymark.SessionID]waymark.Time) error {
	return saveUse(ctx, s, "sessions", "last_seen_at", seen)
}

// DeleteSession deletes a user's session.
func (s *Store) DeleteSession(ctx context.Context, user waymark.UserID, id waymark.SessionID) error {
	return table.OrNotFound(s.db.Exec(ctx, `
		DELETE FROM sessions
		WHERE user_id = $1 AND id = $2`, user, id))
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
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if _, err := q.Exec(ctx, `
			DELETE FROM sessions
			WHERE expires_at <= $1 OR last_seen_at <= CASE WHEN persistent THEN CAST($2 AS BIGINT) ELSE CAST($3 AS BIGINT) END`, now, now.Add(-limits.PersistentIdle), now.Add(-limits.Idle)); err != nil {
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
