package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

// newMigrations returns the migrations in a folder, without applying them.
func newMigrations(db *sql.DB, dialect goose.Dialect, folder string, o Options) (*goose.Provider, error) {
	files, err := fs.Sub(o.Migrations, folder)
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(dialect, db, files, goose.WithSlog(o.Log))
}

// schemaVersion returns the number of the last migration that was applied, 0 if there is
// none. Unlike goose's provider it does not create the table of versions; tableExists is
// the statement that says whether there is one.
func schemaVersion(ctx context.Context, db *sql.DB, tableExists string) (version int64, err error) {
	var exists bool
	if err := db.QueryRowContext(ctx, tableExists).Scan(&exists); err != nil || !exists {
		return 0, err
	}
	err = db.QueryRowContext(ctx, `
		SELECT coalesce(max(version_id), 0)
		FROM goose_db_version
		WHERE is_applied`).Scan(&version)
	return version, err
}

// noDatabaseError is the error of Options.MustExist. The place is "in DIR" or the like.
func noDatabaseError(place string) error {
	return fmt.Errorf("there is no Waymark database %s: check the path or URL, or start the server with it, which creates one", place)
}

// checkVersion returns the last migration, and an error if this schema cannot be migrated to it.
func checkVersion(current int64, migrations *goose.Provider) (target int64, err error) {
	sources := migrations.ListSources()
	first, target := sources[0].Version, sources[len(sources)-1].Version
	switch {
	case current > target:
		err = fmt.Errorf("the database (schema %d) was created by a newer version of Waymark; this version supports schema %d. Upgrade Waymark. Nothing was changed.", current, target) //nolint:revive,staticcheck // sentences for the operator
	case current > 0 && current < first:
		err = fmt.Errorf("the database (schema %d) was created by a development version of Waymark, and this version cannot migrate it (its schemas begin at %d). Export the data of each user with that version (waymark export --format archive), and import the archives into a new database with this one (waymark import). Nothing was changed.", current, first) //nolint:revive,staticcheck // sentences for the operator
	}
	return target, err
}

// pending reports whether there are migrations to apply, or the error of checkVersion.
func pending(ctx context.Context, migrations *goose.Provider) (bool, error) {
	current, err := migrations.GetDBVersion(ctx)
	if err != nil {
		return false, fmt.Errorf("read the schema version of the database: %w", err)
	}
	target, err := checkVersion(current, migrations)
	return err == nil && current < target, err
}

func applyMigrations(ctx context.Context, migrations *goose.Provider) error {
	_, err := migrations.Up(ctx)
	var partial *goose.PartialError
	switch {
	case errors.As(err, &partial) && partial.Failed.Source.Version == migrations.ListSources()[0].Version:
		return fmt.Errorf("migrate the database: %w. If it has tables of another program, use an empty one", err)
	case err != nil:
		return fmt.Errorf("migrate the database: %w", err)
	}
	return nil
}
