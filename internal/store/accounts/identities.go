package accounts

import (
	"context"
	"database/sql"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// Identities returns a user's accounts at sign-in providers, the oldest first.
func (s *Store) Identities(ctx context.Context, user waymark.UserID) ([]waymark.Identity, error) {
	return Identities.All(ctx, s.db.Querier(), "e.user_id = $1 ORDER BY e.created_at, e.issuer", user)
}

// HasIdentity reports whether the account at a provider belongs to a user.
func (s *Store) HasIdentity(ctx context.Context, issuer, subject string) (bool, error) {
	return database.Exists(ctx, s.db.Querier(), "identities WHERE issuer = $1 AND subject = $2", issuer, subject)
}

// HasAdministratorAt reports whether an administrator, who is not disabled, has an account at a provider.
func (s *Store) HasAdministratorAt(ctx context.Context, issuer string) (bool, error) {
	return database.Exists(ctx, s.db.Querier(), "identities AS i JOIN users AS u ON u.id = i.user_id WHERE i.issuer = $1 AND u.admin AND NOT u.disabled", issuer)
}

// UseIdentity returns the user with an account at a provider, and stores that it was used and its name. If
// admin is not nil, it makes the user an administrator or not. The last administrator, and the last one who
// has a password, stays one: the result says what the user is. A disabled user gets waymark.ErrForbidden.
func (s *Store) UseIdentity(ctx context.Context, identity waymark.Identity, admin *bool) (waymark.User, error) {
	var row table.UserRow
	err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) (err error) {
		if err := q.Lock(ctx, administratorsLock); err != nil {
			return err
		}
		row, err = table.Users.Get(ctx, q, `e.id = (
			SELECT user_id
			FROM identities
			WHERE issuer = $1 AND subject = $2)`+q.RowLock(), identity.Issuer, identity.Subject)
		if err != nil {
			return err
		}
		if row.Disabled {
			return waymark.ErrForbidden
		}
		if _, err := q.Exec(ctx, `
			UPDATE identities
			SET name = $1, last_seen_at = $2
			WHERE issuer = $3 AND subject = $4`, identity.Name, s.now(), identity.Issuer, identity.Subject); err != nil {
			return err
		}
		return setAdministrator(ctx, q, &row, admin)
	})
	return row.User, err
}

// setAdministrator makes a user an administrator or not, as UseIdentity does. The transaction has the lock
// of administrators.
func setAdministrator(ctx context.Context, q database.Querier, row *table.UserRow, admin *bool) error {
	if admin == nil || *admin == row.Admin {
		return nil
	}
	if !*admin {
		others, err := database.Count(ctx, q, "users WHERE admin AND NOT disabled AND id <> $1 AND ($2 OR password_hash <> '')", row.ID, row.PasswordHash == "")
		if err != nil || others == 0 {
			return err
		}
	}
	row.Admin = *admin
	return updateUser(ctx, q, row)
}

// CreateUserWithIdentity creates a user who signs in with an account at a provider. It returns
// waymark.ErrConflict if another user has the name or the account, and waymark.ErrForbidden if the user
// would be the first one, but no administrator.
func (s *Store) CreateUserWithIdentity(ctx context.Context, user waymark.User, identity waymark.Identity) (waymark.User, error) {
	err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if err := q.Lock(ctx, administratorsLock); err != nil {
			return err
		}
		some, err := hasUsers(ctx, q)
		if err != nil {
			return err
		}
		if !some && !user.Admin {
			return waymark.ErrForbidden
		}
		return s.insertUser(ctx, q, &user, "", &identity)
	})
	return user, err
}

// insertUser creates a user, with an account at a provider if it is not nil.
func (s *Store) insertUser(ctx context.Context, q database.Querier, user *waymark.User, passwordHash string, identity *waymark.Identity) error {
	user.CreatedAt = s.now()
	ids, err := table.Insert[waymark.UserID](ctx, q, &table.Users, []table.UserRow{{User: *user, PasswordHash: passwordHash}})
	if err != nil {
		return err
	}
	user.ID = ids[0]
	if identity == nil {
		return nil
	}
	identity.UserID = user.ID
	return s.insertIdentity(ctx, q, *identity)
}

func (s *Store) insertIdentity(ctx context.Context, q database.Querier, identity waymark.Identity) error {
	_, err := q.Exec(ctx, `
		INSERT INTO identities (issuer, subject, user_id, name, created_at, last_seen_at)
		VALUES ($1, $2, $3, $4, $5, $5)`, identity.Issuer, identity.Subject, identity.UserID, identity.Name, s.now())
	return err
}

// CreateIdentity adds an account at a provider to a user. It returns waymark.ErrConflict if the account
// belongs to a user already, or the user has one at this provider.
func (s *Store) CreateIdentity(ctx context.Context, identity waymark.Identity) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		return s.insertIdentity(ctx, q, identity)
	})
}

// DeleteIdentity removes a user's account at a provider if permit allows it. permit sees which ways to sign
// in the user then has.
func (s *Store) DeleteIdentity(ctx context.Context, user waymark.UserID, issuer string, permit func(waymark.SignInWays) error) error {
	return table.UserTx(ctx, s.db, user, func(ctx context.Context, q database.Querier) error {
		if err := table.OrNotFound(q.Exec(ctx, `
			DELETE FROM identities
			WHERE user_id = $1 AND issuer = $2`, user, issuer)); err != nil {
			return err
		}
		ways, err := s.signInWays(ctx, q, user)
		if err != nil {
			return err
		}
		return permit(ways)
	})
}

// SignInWays returns the ways in which a user can sign in.
func (s *Store) SignInWays(ctx context.Context, user waymark.UserID) (waymark.SignInWays, error) {
	return s.signInWays(ctx, s.db.Querier(), user)
}

func (s *Store) signInWays(ctx context.Context, q database.Querier, user waymark.UserID) (waymark.SignInWays, error) {
	factors, err := s.factors(ctx, q, user)
	if err != nil {
		return waymark.SignInWays{}, err
	}
	issuers, err := database.QueryAll(ctx, q, database.ScanValue[string], `
		SELECT issuer
		FROM identities
		WHERE user_id = $1
		ORDER BY issuer`, user)
	return waymark.SignInWays{Factors: factors, Issuers: issuers}, err
}

// CreateProviderRequest stores a request to a provider under the hash of its secret.
func (s *Store) CreateProviderRequest(ctx context.Context, hash []byte, r waymark.ProviderRequest) error {
	_, err := s.db.Exec(ctx, `
		INSERT INTO provider_requests (hash, purpose, nonce, verifier, user_id, invitation_hash, persistent, back, expires_at)
		VALUES ($1, $2, $3, $4, NULLIF(CAST($5 AS BIGINT), 0), $6, $7, $8, $9)`,
		table.HashText(hash), r.Purpose, r.Nonce, r.Verifier, r.UserID, table.HashText(r.InvitationHash), r.Persistent, r.Back, r.ExpiresAt)
	return err
}

// TakeProviderRequest deletes the request with that hash and returns it, or waymark.ErrNotFound if there
// is none, or if it has expired. So each request has one response.
func (s *Store) TakeProviderRequest(ctx context.Context, hash []byte) (waymark.ProviderRequest, error) {
	var request waymark.ProviderRequest
	scan := func(rows *sql.Rows, r *waymark.ProviderRequest) error {
		var invitation string
		err := rows.Scan(&r.Purpose, &r.Nonce, &r.Verifier, &r.UserID, &invitation, &r.Persistent, &r.Back, &r.ExpiresAt)
		if err != nil || invitation == "" {
			return err
		}
		r.InvitationHash, err = table.ParseHash(invitation)
		return err
	}
	err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) (err error) {
		request, err = database.QueryOne(ctx, q, scan, `
			DELETE FROM provider_requests
			WHERE hash = $1 AND expires_at > $2
			RETURNING purpose, nonce, verifier, COALESCE(user_id, 0), invitation_hash, persistent, back, expires_at`, table.HashText(hash), s.now())
		return err
	})
	return request, err
}
