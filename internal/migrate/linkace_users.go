package migrate

import (
	"context"
	"database/sql"
)

// LinkAceUser is a user of LinkAce.
type LinkAceUser struct {
	ID            int64
	Name          string
	PasswordHash  string // of bcrypt; "" if the user has no password or signs in through a provider
	Administrator bool
	Blocked       bool // or deleted
	APIKeys       int  // their number; LinkAce 2 stores only hashes of keys
}

// Users returns the users in the order of their ids, without LinkAce 2's own.
func (d *LinkAceDatabase) Users(ctx context.Context) ([]LinkAceUser, error) {
	rows, err := d.db.QueryContext(ctx, "SELECT "+d.selected("users", "id", "name", "password", "blocked_at", "deleted_at", "sso_provider", "api_token")+" FROM users AS e WHERE e.id > 0 ORDER BY e.id")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var users []LinkAceUser
	for rows.Next() {
		var u LinkAceUser
		var hash, provider, token sql.NullString
		var blocked, deleted any
		if err := rows.Scan(&u.ID, &u.Name, &hash, &blocked, &deleted, &provider, &token); err != nil {
			return nil, err
		}
		if !provider.Valid || provider.String == "" { // other users sign in through the provider
			u.PasswordHash = hash.String
		}
		u.Blocked = blocked != nil || deleted != nil
		if token.String != "" {
			u.APIKeys++
		}
		users = append(users, u)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return users, d.addRoles(ctx, users)
}

// addRoles adds the administrators and the API keys of version 2. In version 1 the first user is the
// administrator, as after an upgrade of LinkAce.
func (d *LinkAceDatabase) addRoles(ctx context.Context, users []LinkAceUser) error {
	if err := d.readColumns(ctx, "model_has_roles"); err != nil {
		if d.readColumns(ctx, "users") != nil { // not because there is no such table
			return err
		}
		if len(users) > 0 {
			users[0].Administrator = true
		}
		return nil
	}
	admins, err := d.pairs(ctx, "SELECT m.model_id, 1 FROM model_has_roles AS m JOIN roles AS r ON r.id = m.role_id WHERE r.name = 'admin'")
	if err != nil {
		return err
	}
	keys := map[int64][]int{}
	if d.readColumns(ctx, "personal_access_tokens") == nil {
		if keys, err = d.pairs(ctx, "SELECT t.tokenable_id, t.id FROM personal_access_tokens AS t"); err != nil {
			return err
		}
	}
	for i := range users {
		users[i].Administrator = len(admins[users[i].ID]) > 0
		users[i].APIKeys += len(keys[users[i].ID])
	}
	return nil
}
