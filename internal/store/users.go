package store

import (
	"context"
	"database/sql"

	"waymark/internal/waymark"
)

const userColumns = `e.id, e.name, e.admin, e.disabled, e.visibility, e.created_at`

func userFields(u *waymark.User) []any {
	return []any{&u.ID, &u.Name, &u.Admin, &u.Disabled, &u.Visibility, &u.CreatedAt}
}

func scanUser(rows *sql.Rows, u *waymark.User) error { return rows.Scan(userFields(u)...) }

// CreateUser keeps a new user and returns it with its id. A name that is taken,
// whatever its case, is waymark.ErrConflict. An empty password opens nothing.
func (s *Store) CreateUser(ctx context.Context, user waymark.User, passwordHash string) (waymark.User, error) {
	err := s.change(ctx, func(ctx context.Context, q querier) (err error) {
		user.CreatedAt = s.now()
		user.ID, err = queryOne(ctx, q, scanValue[waymark.UserID], `
			INSERT INTO users (name, name_key, password, admin, disabled, visibility, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7)
			RETURNING id`,
			user.Name, waymark.Fold(user.Name), passwordHash, user.Admin, user.Disabled, user.Visibility, user.CreatedAt)
		return err
	})
	return user, err
}

// Users returns everybody, by name.
func (s *Store) Users(ctx context.Context) ([]waymark.User, error) {
	users, err := queryAll(ctx, s.ask(), scanUser, `
		SELECT `+userColumns+`
		FROM users AS e
		ORDER BY e.name_key`)
	return users, s.dialect.mapError(err)
}

// UserByName returns the user of that name, whatever its case.
func (s *Store) UserByName(ctx context.Context, name string) (waymark.User, error) {
	user, err := userByName(ctx, s.ask(), name)
	return user, s.dialect.mapError(err)
}

func userByName(ctx context.Context, q querier, name string) (waymark.User, error) {
	return queryOne(ctx, q, scanUser, `
		SELECT `+userColumns+`
		FROM users AS e
		WHERE e.name_key = $1`+q.rowLock, waymark.Fold(name))
}

// ChangeUser changes the user of that name as change says, and returns the result.
func (s *Store) ChangeUser(ctx context.Context, name string, change func(*waymark.User) error) (waymark.User, error) {
	var user waymark.User
	err := s.change(ctx, func(ctx context.Context, q querier) (err error) {
		if user, err = userByName(ctx, q, name); err != nil {
			return err
		}
		if err := change(&user); err != nil {
			return err
		}
		_, err = q.exec(ctx, `
			UPDATE users
			SET name = $1, name_key = $2, admin = $3, disabled = $4, visibility = $5
			WHERE id = $6`,
			user.Name, waymark.Fold(user.Name), user.Admin, user.Disabled, user.Visibility, user.ID)
		return err
	})
	return user, err
}

// PasswordHash returns the hash of a user's password, "" where there is none.
func (s *Store) PasswordHash(ctx context.Context, id waymark.UserID) (string, error) {
	hash, err := queryOne(ctx, s.ask(), scanValue[string], `
		SELECT password
		FROM users
		WHERE id = $1`, id)
	return hash, s.dialect.mapError(err)
}

// SetPasswordHash gives a user another password.
func (s *Store) SetPasswordHash(ctx context.Context, id waymark.UserID, hash string) error {
	return s.change(ctx, func(ctx context.Context, q querier) error {
		n, err := q.exec(ctx, `
			UPDATE users
			SET password = $1
			WHERE id = $2`, hash, id)
		return orNotFound(n, err)
	})
}

// RemoveUser erases a user and everything of theirs: keys, links, lists, tags,
// and notes, those of others on their links included.
func (s *Store) RemoveUser(ctx context.Context, id waymark.UserID) error {
	return s.change(ctx, func(ctx context.Context, q querier) error {
		if n, err := q.exec(ctx, `
			DELETE FROM users
			WHERE id = $1`, id); err != nil || n == 0 {
			return orNotFound(n, err)
		}
		_, err := q.exec(ctx, `
			DELETE FROM counters
			WHERE user_id = $1`, id)
		return err
	})
}

// orNotFound returns err, or waymark.ErrNotFound where no row was changed.
func orNotFound(changed int64, err error) error {
	if err == nil && changed == 0 {
		return waymark.ErrNotFound
	}
	return err
}
