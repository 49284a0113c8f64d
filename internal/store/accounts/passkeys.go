package accounts

import (
	"context"
	"database/sql"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// AddPasskey adds a passkey to a user. It returns waymark.ErrConflict if it was added before, and a
// waymark.ValidationError if the user has waymark.MaxPasskeys. The session in which the user has made it has
// a second factor from now on.
func (s *Store) AddPasskey(ctx context.Context, passkey waymark.Passkey, session waymark.SessionID) error {
	return table.UserTx(ctx, s.db, passkey.UserID, func(ctx context.Context, q database.Querier) error {
		count, err := database.Count(ctx, q, "passkeys WHERE user_id = $1", passkey.UserID)
		if err != nil {
			return err
		}
		if count >= waymark.MaxPasskeys {
			return &waymark.ValidationError{Problems: []waymark.Problem{{Field: waymark.FieldPasskeys, Rule: waymark.RuleMaxCount, Limit: waymark.MaxPasskeys}}}
		}
		passkey.CreatedAt = s.now()
		ids, err := table.Insert[waymark.PasskeyID](ctx, q, &Passkeys, []waymark.Passkey{passkey})
		if err != nil {
			return err
		}
		if err := addFactor(ctx, q, session, waymark.Session{Method: waymark.ByPasskey, PasskeyID: ids[0]}); err != nil {
			return err
		}
		return changeFactors(ctx, q, "passkey added", passkey.UserID, passkey.Name)
	})
}

// Passkeys returns the passkeys of a user, the oldest first.
func (s *Store) Passkeys(ctx context.Context, user waymark.UserID) ([]waymark.Passkey, error) {
	return Passkeys.All(ctx, s.db.Querier(), "e.user_id = $1 ORDER BY e.id", user)
}

// Passkey returns the passkey with the id that its device has given it.
func (s *Store) Passkey(ctx context.Context, credential string) (waymark.Passkey, error) {
	return Passkeys.Get(ctx, s.db.Querier(), "e.credential = $1", credential)
}

// UsePasskey stores that a passkey was used: its count and its flags, and the time.
func (s *Store) UsePasskey(ctx context.Context, passkey waymark.Passkey) error {
	return table.OrNotFound(s.db.Exec(ctx, `
		UPDATE passkeys
		SET sign_count = $1, backup_eligible = $2, backed_up = $3, last_used_at = $4
		WHERE id = $5`, passkey.SignCount, passkey.BackupEligible, passkey.BackedUp, s.now(), passkey.ID))
}

// RenamePasskey changes the name of a user's passkey.
func (s *Store) RenamePasskey(ctx context.Context, user waymark.UserID, id waymark.PasskeyID, name string) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		passkey, err := Passkeys.Get(ctx, q, "e.id = $1 AND e.user_id = $2"+q.RowLock(), id, user)
		if err != nil || passkey.Name == name {
			return err
		}
		if _, err := q.Exec(ctx, `
			UPDATE passkeys
			SET name = $1
			WHERE id = $2`, name, id); err != nil {
			return err
		}
		return auditUser(ctx, q, "passkey renamed", user, passkey.Name+" to "+name)
	})
}

// DeletePasskey removes a user's passkey if permit allows it. permit sees which ways to sign in the user
// then has.
func (s *Store) DeletePasskey(ctx context.Context, user waymark.UserID, id waymark.PasskeyID, permit func(waymark.SignInWays) error) error {
	return table.UserTx(ctx, s.db, user, func(ctx context.Context, q database.Querier) error {
		name, err := database.QueryOne(ctx, q, database.ScanValue[string], `
			DELETE FROM passkeys
			WHERE id = $1 AND user_id = $2
			RETURNING name`, id, user)
		if err != nil {
			return err
		}
		ways, err := s.signInWays(ctx, q, user)
		if err != nil {
			return err
		}
		if err := permit(ways); err != nil {
			return err
		}
		return changeFactors(ctx, q, "passkey removed", user, name)
	})
}

// AddPasskeyChallenge stores a question to a passkey until it is answered, or until a time. hash is that of
// the secret in the cookie of the browser that has to answer.
func (s *Store) AddPasskeyChallenge(ctx context.Context, hash []byte, challenge waymark.PasskeyChallenge, until waymark.Time) error {
	_, err := s.db.Exec(ctx, `
		INSERT INTO passkey_challenges (hash, user_id, data, expires_at)
		VALUES ($1, $2, $3, $4)`,
		table.HashText(hash), sql.NullInt64{Int64: int64(challenge.UserID), Valid: challenge.UserID != waymark.Guest}, challenge.Data, until)
	return err
}

// TakePasskeyChallenge returns a question to a passkey, and deletes it: it is answered once, by whichever
// server.
func (s *Store) TakePasskeyChallenge(ctx context.Context, hash []byte) (waymark.PasskeyChallenge, error) {
	scan := func(rows *sql.Rows, c *waymark.PasskeyChallenge) error {
		var user sql.NullInt64
		err := rows.Scan(&user, &c.Data)
		c.UserID = waymark.UserID(user.Int64)
		return err
	}
	var challenge waymark.PasskeyChallenge
	err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) (err error) {
		challenge, err = database.QueryOne(ctx, q, scan, `
			DELETE FROM passkey_challenges
			WHERE hash = $1 AND expires_at > $2
			RETURNING user_id, data`, table.HashText(hash), s.now())
		return err
	})
	return challenge, err
}

// PasskeyHosts returns the number of passkeys for each host for which there are some.
func (s *Store) PasskeyHosts(ctx context.Context) (map[string]int, error) {
	return database.QueryMap[string, int](ctx, s.db.Querier(), `
		SELECT host, COUNT(*)
		FROM passkeys
		GROUP BY host`)
}
