package accounts

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"time"

	"waymark/internal/database"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// CreateAPIKey creates an API key. Only the hash of its secret is stored. It returns
// waymark.ErrConflict if the owner already has a key with that name, and a waymark.ValidationError if
// they have waymark.MaxAPIKeys.
func (s *Store) CreateAPIKey(ctx context.Context, key waymark.APIKey, hash []byte) (waymark.APIKey, error) {
	err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if err := roomForAPIKey(ctx, q, key.Owner); err != nil {
			return err
		}
		key.CreatedAt = s.now()
		ids, err := table.Insert[waymark.APIKeyID](ctx, q, &APIKeys, []apiKeyRow{{key, table.HashText(hash)}})
		if err == nil {
			key.ID = ids[0]
		}
		return err
	})
	return key, err
}

// roomForAPIKey locks a user, and returns a waymark.ValidationError if they cannot have one more API key.
func roomForAPIKey(ctx context.Context, q database.Querier, owner waymark.UserID) error {
	if err := table.LockUser(ctx, q, owner); err != nil {
		return err
	}
	existing, err := database.Count(ctx, q, "api_keys WHERE user_id = $1", owner)
	if err == nil && existing >= waymark.MaxAPIKeys {
		err = waymark.InvalidInput(waymark.Problem{Field: waymark.FieldAPIKeys, Rule: waymark.RuleMaxCount, Limit: waymark.MaxAPIKeys},
			"the user has %d API keys, and more are not possible: revoke one first", existing)
	}
	return err
}

// APIKeys returns an owner's API keys, sorted by name.
func (s *Store) APIKeys(ctx context.Context, owner waymark.UserID) ([]waymark.APIKey, error) {
	rows, err := APIKeys.All(ctx, s.db.Querier(), "e.user_id = $1 ORDER BY e.name", owner)
	return waymark.Map(rows, func(row apiKeyRow) waymark.APIKey { return row.APIKey }), err
}

// DeleteAPIKey deletes an owner's API key of that name.
func (s *Store) DeleteAPIKey(ctx context.Context, owner waymark.UserID, name string) error {
	if !table.StorableText(name) {
		return waymark.ErrNotFound
	}
	return table.OrNotFound(s.db.Exec(ctx, `
		DELETE FROM api_keys
		WHERE user_id = $1 AND name = $2`, owner, name))
}

// UndoRevocation is how long a revoked API key can be restored.
const UndoRevocation = time.Minute

// RevokeAPIKey makes an owner's API key invalid. RestoreAPIKey undoes it.
func (s *Store) RevokeAPIKey(ctx context.Context, owner waymark.UserID, id waymark.APIKeyID) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if err := table.OrNotFound(q.Exec(ctx, `
			INSERT INTO revoked_api_keys (id, user_id, name, hash, access, created_at, last_used_at, expires_at, revoked_at)
			SELECT id, user_id, name, hash, access, created_at, last_used_at, expires_at, CAST($3 AS BIGINT)
			FROM api_keys
			WHERE user_id = $1 AND id = $2`, owner, id, s.now())); err != nil {
			return err
		}
		_, err := q.Exec(ctx, `
			DELETE FROM api_keys
			WHERE id = $1`, id)
		return err
	})
}

// RestoreAPIKey makes an owner's API key valid again, within UndoRevocation. It returns
// waymark.ErrConflict if the owner has another key with its name now, and a waymark.ValidationError if
// they have waymark.MaxAPIKeys others.
func (s *Store) RestoreAPIKey(ctx context.Context, owner waymark.UserID, id waymark.APIKeyID) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		if err := roomForAPIKey(ctx, q, owner); err != nil {
			return err
		}
		if err := table.OrNotFound(q.Exec(ctx, `
			INSERT INTO api_keys (id, user_id, name, hash, access, created_at, last_used_at, expires_at)
			SELECT id, user_id, name, hash, access, created_at, last_used_at, expires_at
			FROM revoked_api_keys
			WHERE user_id = $1 AND id = $2 AND revoked_at > $3`, owner, id, s.now().Add(-UndoRevocation))); err != nil {
			return err
		}
		_, err := q.Exec(ctx, `
			DELETE FROM revoked_api_keys
			WHERE id = $1`, id)
		return err
	})
}

// Every request with a key reads these columns of the key and of its owner, whose settings are for
// pages and background jobs only.
var (
	usedKeys  = APIKeys.Without("hash")
	keyOwners = table.Users.Without("password_hash", "language", "time_zone", "theme", "link_view", "links_per_page",
		"new_tab", "hide_descriptions", "no_shortcuts", "only_mine", "opening_reads", "save_unread", "no_metadata", "no_checks", "no_pictures", "snapshots")
	selectKeyOwner = `
		SELECT ` + usedKeys.Selected + `, ` + keyOwners.SelectedAs("u") + `
		FROM api_keys AS e
		JOIN users AS u ON u.id = e.user_id
		WHERE e.hash = $1`
)

// keyOwner is an API key with its owner.
type keyOwner struct {
	key  apiKeyRow
	user table.UserRow
}

// APIKeyOwner returns the API key with that hash and its owner.
func (s *Store) APIKeyOwner(ctx context.Context, hash []byte) (waymark.User, waymark.APIKey, error) {
	scan := func(rows *sql.Rows, o *keyOwner) error {
		return rows.Scan(append(usedKeys.Targets(&o.key, len(keyOwners.Read)), keyOwners.Targets(&o.user, 0)...)...)
	}
	found, err := database.QueryOne(ctx, s.db.Querier(), scan, selectKeyOwner, table.HashText(hash))
	return found.user.User, found.key.APIKey, err
}

// SaveAPIKeyUse stores the times when API keys were last used, in one transaction.
func (s *Store) SaveAPIKeyUse(ctx context.Context, used map[waymark.APIKeyID]waymark.Time) error {
	return saveUse(ctx, s, "api_keys", "last_used_at", used)
}

// saveUse stores times of use in a column of a table, unless it has later ones.
func saveUse[ID waymark.ID](ctx context.Context, s *Store, table, column string, times map[ID]waymark.Time) error {
	return s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		for _, id := range slices.Sorted(maps.Keys(times)) { // in the order of ids, so that two servers cannot deadlock
			if _, err := q.Exec(ctx, `
				UPDATE `+table+`
				SET `+column+` = $1
				WHERE id = $2 AND `+column+` < $1`, times[id], id); err != nil {
				return err
			}
		}
		return nil
	})
}

// FeedToken returns the token in the URLs of a user's feeds, or waymark.ErrNotFound if
// the user has none.
func (s *Store) FeedToken(ctx context.Context, user waymark.UserID) (string, error) {
	return database.QueryOne(ctx, s.db.Querier(), database.ScanValue[string], `
		SELECT token
		FROM feed_tokens
		WHERE user_id = $1`, user)
}

// SetFeedToken replaces the token in the URLs of a user's feeds.
func (s *Store) SetFeedToken(ctx context.Context, user waymark.UserID, token string) error {
	_, err := s.db.Exec(ctx, `
		INSERT INTO feed_tokens (user_id, token)
		VALUES ($1, $2)
		ON CONFLICT (user_id) DO UPDATE SET token = excluded.token`, user, token)
	return err
}

// FeedTokenOwner returns the user whose feeds have that token in their URLs.
func (s *Store) FeedTokenOwner(ctx context.Context, token string) (waymark.User, error) {
	if !table.StorableText(token) {
		return waymark.User{}, waymark.ErrNotFound
	}
	row, err := table.Users.Get(ctx, s.db.Querier(), `e.id = (
		SELECT user_id
		FROM feed_tokens
		WHERE token = $1)`, token)
	return row.User, err
}
