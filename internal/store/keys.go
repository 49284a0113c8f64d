package store

import (
	"context"
	"database/sql"
	"encoding/base64"
	"maps"
	"slices"

	"waymark/internal/waymark"
)

const keyColumns = `k.id, k.user_id, k.name, k.access, k.created_at, k.last_used_at, k.expires_at`

func keyFields(k *waymark.Key) []any {
	return []any{&k.ID, &k.Owner, &k.Name, &k.Access, &k.CreatedAt, &k.LastUsedAt, &k.ExpiresAt}
}

func scanKey(rows *sql.Rows, k *waymark.Key) error { return rows.Scan(keyFields(k)...) }

// CreateKey keeps a new key by the hash of its secret. A second key of that name
// of that owner is waymark.ErrConflict.
func (s *Store) CreateKey(ctx context.Context, key waymark.Key, hash []byte) (waymark.Key, error) {
	err := s.change(ctx, func(ctx context.Context, q querier) (err error) {
		key.CreatedAt = s.now()
		key.ID, err = one(ctx, q, value[waymark.KeyID], `
			INSERT INTO keys (user_id, name, hash, access, created_at, last_used_at, expires_at)
			VALUES ($1, $2, $3, $4, $5, 0, $6)
			RETURNING id`,
			key.Owner, key.Name, keyHash(hash), key.Access, key.CreatedAt, key.ExpiresAt)
		return err
	})
	return key, err
}

// Keys returns an owner's keys, by name.
func (s *Store) Keys(ctx context.Context, owner waymark.UserID) ([]waymark.Key, error) {
	keys, err := all(ctx, s.ask(), scanKey, `
		SELECT `+keyColumns+`
		FROM keys AS k
		WHERE k.user_id = $1
		ORDER BY k.name`, owner)
	return keys, s.dialect.translate(err)
}

// DeleteKey erases an owner's key of that name.
func (s *Store) DeleteKey(ctx context.Context, owner waymark.UserID, name string) error {
	return s.change(ctx, func(ctx context.Context, q querier) error {
		n, err := q.exec(ctx, `
			DELETE FROM keys
			WHERE user_id = $1 AND name = $2`, owner, name)
		return orNotFound(n, err)
	})
}

// KeyOwner returns the key with that hash and its owner.
func (s *Store) KeyOwner(ctx context.Context, hash []byte) (waymark.User, waymark.Key, error) {
	type both struct {
		user waymark.User
		key  waymark.Key
	}
	found, err := one(ctx, s.ask(), func(rows *sql.Rows, b *both) error {
		return rows.Scan(append(userFields(&b.user), keyFields(&b.key)...)...)
	}, `
		SELECT `+userColumns+`, `+keyColumns+`
		FROM keys AS k
		JOIN users AS e ON e.id = k.user_id
		WHERE k.hash = $1`, keyHash(hash))
	return found.user, found.key, s.dialect.translate(err)
}

// SaveKeyUse keeps when keys were last used, all in one change.
func (s *Store) SaveKeyUse(ctx context.Context, used map[waymark.KeyID]waymark.Time) error {
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

// keyHash is a hash as it is kept.
func keyHash(hash []byte) string { return base64.RawURLEncoding.EncodeToString(hash) }
