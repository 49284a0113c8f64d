package accounts

import (
	"context"
	"database/sql"
	"errors"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// factorRequired is an SQL condition: administrators require a second factor of the user u. It has the rules
// of waymark.FactorRule.
const factorRequired = `EXISTS (
	SELECT 1
	FROM instance_settings
	WHERE second_factor = 'all' OR second_factor = 'administrators' AND u.admin)`

// FactorRule returns who must have a second factor.
func (s *Store) FactorRule(ctx context.Context) (waymark.FactorRule, error) {
	rule, err := database.QueryOne(ctx, s.db.Querier(), database.ScanValue[waymark.FactorRule], `
		SELECT second_factor
		FROM instance_settings`)
	if errors.Is(err, waymark.ErrNotFound) { // nobody has chosen it yet
		return waymark.FactorOptional, nil
	}
	return rule, err
}

// SetFactorRule sets who must have a second factor. by is the name of the administrator who sets it.
func (s *Store) SetFactorRule(ctx context.Context, rule waymark.FactorRule, by string) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		changed, err := q.Exec(ctx, `
			INSERT INTO instance_settings (id, second_factor)
			VALUES (1, $1)
			ON CONFLICT (id) DO UPDATE SET second_factor = excluded.second_factor
			WHERE instance_settings.second_factor <> excluded.second_factor`, rule)
		if err != nil || changed == 0 {
			return err
		}
		detail := string(rule)
		if rule == waymark.FactorOptional {
			detail = "off"
		}
		return AddAuditEvent(ctx, q, "second factor required", by, detail)
	})
}

// Factors returns what a user can prove with who they are.
func (s *Store) Factors(ctx context.Context, user waymark.UserID) (waymark.Factors, error) {
	return s.factors(ctx, s.db.Querier(), user)
}

func (s *Store) factors(ctx context.Context, q database.Querier, user waymark.UserID) (waymark.Factors, error) {
	scan := func(rows *sql.Rows, f *waymark.Factors) error {
		return rows.Scan(&f.Password, &f.AppSince, &f.RecoveryCodes, &f.Trusted, &f.Passkeys, &f.Required)
	}
	return database.QueryOne(ctx, q, scan, `
		SELECT u.password_hash <> '', COALESCE(a.created_at, 0),
			(SELECT COUNT(*) FROM recovery_codes AS r WHERE r.user_id = u.id),
			(SELECT COUNT(*) FROM trusted_browsers AS t WHERE t.user_id = u.id AND t.expires_at > $2),
			(SELECT COUNT(*) FROM passkeys AS p WHERE p.user_id = u.id),
			`+factorRequired+`
		FROM users AS u
		LEFT JOIN authenticators AS a ON a.user_id = u.id
		WHERE u.id = $1`, user, s.now())
}

// Authenticator returns the authenticator app of a user, or waymark.ErrNotFound.
func (s *Store) Authenticator(ctx context.Context, user waymark.UserID) (waymark.Authenticator, error) {
	scan := func(rows *sql.Rows, a *waymark.Authenticator) error { return rows.Scan(&a.Secret, &a.UsedStep) }
	return database.QueryOne(ctx, s.db.Querier(), scan, `
		SELECT secret, used_step
		FROM authenticators
		WHERE user_id = $1`, user)
}

// UseCode stores that the code of a step was accepted. It returns waymark.ErrNotFound if that step or a later
// one was accepted before, or if the user has another app by now: one statement decides, so a code that is
// sent to two servers at once signs in once.
func (s *Store) UseCode(ctx context.Context, user waymark.UserID, secret string, step int64) error {
	return table.OrNotFound(s.db.Exec(ctx, `
		UPDATE authenticators
		SET used_step = $1
		WHERE user_id = $2 AND secret = $3 AND used_step < $1`, step, user, secret))
}

// UseRecoveryCode deletes the recovery code of a user with this hash. It returns waymark.ErrNotFound if there
// is none, or no longer.
func (s *Store) UseRecoveryCode(ctx context.Context, user waymark.UserID, hash []byte) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if err := table.OrNotFound(q.Exec(ctx, `
			DELETE FROM recovery_codes
			WHERE user_id = $1 AND hash = $2`, user, table.HashText(hash))); err != nil {
			return err
		}
		return auditUser(ctx, q, "recovery code used", user, "")
	})
}

// SetAuthenticator sets the authenticator app of a user, in place of the one they have. The first app comes
// with recovery codes that have these hashes; with another app, the old ones stay valid. It ends the trust
// in browsers, and reports whether it was the first app. The session in which the user has typed a code has
// a second factor from now on.
func (s *Store) SetAuthenticator(ctx context.Context, user waymark.UserID, session waymark.SessionID, app waymark.Authenticator, codes [][]byte) (first bool, err error) {
	err = table.UserTx(ctx, s.db, user, func(ctx context.Context, q database.Querier) error {
		replaced, err := q.Exec(ctx, `
			DELETE FROM authenticators
			WHERE user_id = $1`, user)
		if err != nil {
			return err
		}
		if _, err := q.Exec(ctx, `
			INSERT INTO authenticators (user_id, secret, used_step, created_at)
			VALUES ($1, $2, $3, $4)`, user, app.Secret, app.UsedStep, s.now()); err != nil {
			return err
		}
		if first = replaced == 0; first {
			if err := setRecoveryCodes(ctx, q, user, codes); err != nil {
				return err
			}
		}
		if err := addFactor(ctx, q, session, waymark.Session{Method: waymark.ByPasswordAndCode}); err != nil {
			return err
		}
		return changeFactors(ctx, q, "authenticator app set up", user, "")
	})
	return first, err
}

// RemoveAuthenticator removes the authenticator app of a user and the recovery codes, if permit allows it.
// permit sees which factors the user then has. It ends the trust in browsers. It returns waymark.ErrNotFound
// if there is no app.
func (s *Store) RemoveAuthenticator(ctx context.Context, user waymark.UserID, permit func(waymark.Factors) error) error {
	return table.UserTx(ctx, s.db, user, func(ctx context.Context, q database.Querier) error {
		if err := table.OrNotFound(q.Exec(ctx, `
			DELETE FROM authenticators
			WHERE user_id = $1`, user)); err != nil {
			return err
		}
		if err := setRecoveryCodes(ctx, q, user, nil); err != nil {
			return err
		}
		left, err := s.factors(ctx, q, user)
		if err != nil {
			return err
		}
		if err := permit(left); err != nil {
			return err
		}
		return changeFactors(ctx, q, "authenticator app removed", user, "")
	})
}

// RemoveFactors removes the authenticator app, the recovery codes and the passkeys of a user, and ends the
// trust in browsers.
func (s *Store) RemoveFactors(ctx context.Context, user waymark.UserID) error {
	return table.UserTx(ctx, s.db, user, func(ctx context.Context, q database.Querier) error {
		for _, table := range []string{"authenticators", "recovery_codes", "passkeys"} {
			if _, err := q.Exec(ctx, "DELETE FROM "+table+" WHERE user_id = $1", user); err != nil {
				return err
			}
		}
		return changeFactors(ctx, q, "second factors removed", user, "")
	})
}

// SetRecoveryCodes replaces the recovery codes of a user who has an authenticator app. It returns
// waymark.ErrNotFound if they have none.
func (s *Store) SetRecoveryCodes(ctx context.Context, user waymark.UserID, hashes [][]byte) error {
	return table.UserTx(ctx, s.db, user, func(ctx context.Context, q database.Querier) error {
		if _, err := database.QueryOne(ctx, q, database.ScanValue[int], `
			SELECT 1
			FROM authenticators
			WHERE user_id = $1`, user); err != nil {
			return err
		}
		if err := setRecoveryCodes(ctx, q, user, hashes); err != nil {
			return err
		}
		return auditUser(ctx, q, "recovery codes made", user, "")
	})
}

func setRecoveryCodes(ctx context.Context, q database.Querier, user waymark.UserID, hashes [][]byte) error {
	if _, err := q.Exec(ctx, `
		DELETE FROM recovery_codes
		WHERE user_id = $1`, user); err != nil {
		return err
	}
	for _, hash := range hashes {
		if _, err := q.Exec(ctx, `
			INSERT INTO recovery_codes (user_id, hash)
			VALUES ($1, $2)`, user, table.HashText(hash)); err != nil {
			return err
		}
	}
	return nil
}

// trustBrowser stores that a browser is not asked for a code for waymark.TrustLifetime. hash is that of the
// secret in its cookie.
func (s *Store) trustBrowser(ctx context.Context, q database.Querier, user waymark.UserID, hash []byte) (waymark.TrustID, error) {
	id, err := database.QueryOne(ctx, q, database.ScanValue[waymark.TrustID], `
		INSERT INTO trusted_browsers (user_id, hash, expires_at)
		VALUES ($1, $2, $3)
		RETURNING id`, user, table.HashText(hash), s.now().Add(waymark.TrustLifetime))
	if err != nil {
		return 0, err
	}
	if _, err := q.Exec(ctx, `
		DELETE FROM trusted_browsers
		WHERE user_id = $1 AND id NOT IN (
			SELECT id
			FROM trusted_browsers
			WHERE user_id = $1
			ORDER BY id DESC
			LIMIT $2)`, user, waymark.MaxTrustedBrowsers); err != nil {
		return 0, err
	}
	return id, auditUser(ctx, q, "browser trusted", user, "")
}

// Trust returns the trust of a user in the browser that has a secret with this hash, or waymark.ErrNotFound.
func (s *Store) Trust(ctx context.Context, user waymark.UserID, hash []byte) (waymark.TrustID, error) {
	return database.QueryOne(ctx, s.db.Querier(), database.ScanValue[waymark.TrustID], `
		SELECT id
		FROM trusted_browsers
		WHERE user_id = $1 AND hash = $2 AND expires_at > $3`, user, table.HashText(hash), s.now())
}

// EndTrust ends the trust of a user in all browsers.
func (s *Store) EndTrust(ctx context.Context, user waymark.UserID) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if err := endTrust(ctx, q, user); err != nil {
			return err
		}
		return auditUser(ctx, q, "trust in browsers ended", user, "")
	})
}

func endTrust(ctx context.Context, q database.Querier, user waymark.UserID) error {
	_, err := q.Exec(ctx, `
		DELETE FROM trusted_browsers
		WHERE user_id = $1`, user)
	return err
}

// changeFactors does what belongs to each change of a user's factors: the trust in browsers ends, and the
// change is logged.
func changeFactors(ctx context.Context, q database.Querier, event string, user waymark.UserID, detail string) error {
	if err := endTrust(ctx, q, user); err != nil {
		return err
	}
	return auditUser(ctx, q, event, user, detail)
}

// auditUser adds an event about a user.
func auditUser(ctx context.Context, q database.Querier, event string, user waymark.UserID, detail string) error {
	_, err := q.Exec(ctx, `
		INSERT INTO audit_events (event, user_name, key_name, detail)
		SELECT $1, name, '', $3
		FROM users
		WHERE id = $2`, event, user, detail)
	return err
}
