package database

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

// newMigrations returns the migrations in the folder of that name. They are not applied
// yet.
func newMigrations(db *sql.DB, dialect goose.Dialect, folder string, o Options) (*goose.Provider, error) {
	files, err := fs.Sub(o.Migrations, folder)
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(dialect, db, files, goose.WithSlog(o.Log))
}

// pending reports whether there are migrations to apply. It refuses a database that was
// migrated by a newer Waymark, since this one does not know what that changed.
func pending(ctx context.Context, migrations *goose.Provider) (bool, error) {
	current, target, err := migrations.GetVersions(ctx)
	if err != nil {
		return false, fmt.Errorf("read the schema version of the database: %w", err)
	}
	if current > target {
		return false, fmt.Errorf("the database (schema %d) was created by a newer version of Waymark; this version supports schema %d. Upgrade Waymark. Nothing was changed.", current, target) //nolint:revive,staticcheck // sentences for the operator
	}
	return current < target, nil
}

func applyMigrations(ctx context.Context, migrations *goose.Provider) error {
	if _, err := migrations.Up(ctx); err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	return nil
}
