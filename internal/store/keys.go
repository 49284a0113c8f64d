package store

import (
	"context"
	"database/sql"
	"encoding/base64"
	"maps"
	"slices"

	"waymark/internal/waymark"
)

const apiKeyColumns = `k.id, k.user_id, k.name, k.access, k.created_at, k.last_used_at, k.expires_at`

func apiKeyFields(k *waymark.APIKey) []any {
	return []any{&k.ID, &k.Owner, &k.Name, &k.Access, &k.CreatedAt, &k.LastUsedAt, &k.ExpiresAt}
}

func scanAPIKey(rows *sql.Rows, k *waymark.APIKey) error { return rows.Scan(apiKeyFields(k)...) }

// CreateAPIKey keeps a new key by the hash of its secret. A second key of that name
// of that owner is waymark.ErrConflict.
func (s *Store) CreateAPIKey(ctx context.Context, key waymark.APIKey, hash []byte) (waymark.APIKey, error) {
	err := s.change(ctx, func(ctx context.Context, q querier) (err error) {
		key.CreatedAt = s.now()
		key.ID, err = queryOne(ctx, q, scanValue[waymark.APIKeyID], `
			INSERT INTO keys (user_id, name, hash, access, created_at, last_used_at, expires_at)
			VALUES ($1, $2, $3, $4, $5, 0, $6)
			RETURNING id`,
			key.Owner, key.Name, storedKeyHash(hash), key.Access, key.CreatedAt, key.ExpiresAt)
		return err
	})
	return key, err
}

// APIKeys returns an owner's keys, by name.
func (s *Store) APIKeys(ctx context.Context, owner waymark.UserID) ([]waymark.APIKey, error) {
	keys, err := queryAll(ctx, s.ask(), scanAPIKey, `
		SELECT `+apiKeyColumns+`
		FROM keys AS k
		WHERE k.user_id = $1
		ORDER BY k.name`, owner)
	return keys, s.dialect.mapError(err)
}

// DeleteAPIKey erases an owner's key of that name.
func (s *Store) DeleteAPIKey(ctx context.Context, owner waymark.UserID, name string) error {
	return s.change(ctx, func(ctx context.Context, q querier) error {
		n, err := q.exec(ctx, `
			DELETE FROM keys
			WHERE user_id = $1 AND name = $2`, owner, name)
		return orNotFound(n, err)
	})
}

// APIKeyOwner returns the key with that hash and its owner.
func (s *Store) APIKeyOwner(ctx context.Context, hash []byte) (waymark.User, waymark.APIKey, error) {
	type both struct {
		user waymark.User
		key  waymark.APIKey
	}
	found, err := queryOne(ctx, s.ask(), func(rows *sql.Rows, b *both) error {
		return rows.Scan(append(userFields(&b.user), apiKeyFields(&b.key)...)...)
	}, `
		SELECT `+userColumns+`, `+apiKeyColumns+`
		FROM keys AS k
		JOIN users AS e ON e.id = k.user_id
		WHERE k.hash = $1`, storedKeyHash(hash))
	return found.user, found.key, s.dialect.mapError(err)
}

// SaveAPIKeyUse keeps when keys were last used, all in one change.
func (s *Store) SaveAPIKeyUse(ctx context.Context, used map[waymark.APIKeyID]waymark.Time) error {
	return s.change(ctx, func(ctx context.Context, q querier) error {
		for _, id := range slices.Sorted(maps.Keys(used)) { // in one order everywhere, so that two servers never wait for each other
			if _, err := q.exec(ctx, `
				UPDATE keys
				SET last_used_at = $1
				WHERE id = $2 AND last_used_at < $1`, used[id], id); err != nil {
				return err
			}
		}
		return nil
	})
}

// storedKeyHash is a hash as it is kept.
func storedKeyHash(hash []byte) string { return base64.RawURLEncoding.EncodeToString(hash) }
