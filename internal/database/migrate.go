package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

// migration brings the tables of one database to the version that this binary knows.
type migration struct {
	provider *goose.Provider
}

func newMigration(db *sql.DB, kind string, o Options, more ...goose.ProviderOption) (*migration, error) {
	files, err := fs.Sub(o.Migrations, kind)
	if err != nil {
		return nil, err
	}
	dialects := map[string]goose.Dialect{"sqlite": goose.DialectSQLite3, "postgres": goose.DialectPostgres}
	provider, err := goose.NewProvider(dialects[kind], db, files, append(more, goose.WithSlog(o.Log))...)
	if err != nil {
		return nil, err
	}
	return &migration{provider}, nil
}

// pending tells whether something is to be done. It refuses a database that a
// newer Waymark has migrated, since this one cannot know what that means.
func (m *migration) pending(ctx context.Context) (bool, error) {
	current, target, err := m.provider.GetVersions(ctx)
	if err != nil {
		return false, fmt.Errorf("read the version of the database: %w", err)
	}
	if current > target {
		return false, fmt.Errorf("the database is of version %d, made by a newer Waymark, and this one knows versions up to %d: use the newer Waymark; nothing was changed", current, target)
	}
	return current < target, nil
}

func (m *migration) up(ctx context.Context) error {
	_, err := m.provider.Up(ctx)
	if err != nil && !errors.Is(err, goose.ErrVersionNotFound) {
		return fmt.Errorf("bring the database up to date: %w", err)
	}
	return nil
}
