package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// migrationLock is the key of the advisory lock that a server holds while it migrates.
const migrationLock = 0x77617966

// migratePostgres applies pending migrations, all or none. Of several servers that start together
// one migrates, and the others wait. It uses one connection: if each server used several, waiting
// servers could take the connections that the migration needs.
func migratePostgres(ctx context.Context, db *sql.DB, o Options) error {
	all, err := readMigrations(o.Migrations, "postgres")
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("lock the database for the migration: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // no effect after a commit
	// The lock is one of a transaction: poolers may give each transaction another session.
	if _, err := tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", migrationLock); err != nil {
		return fmt.Errorf("lock the database for the migration: %w", err)
	}
	var name string
	if o.MustExist {
		if err := tx.QueryRowContext(ctx, "SELECT current_database()").Scan(&name); err != nil {
			return err
		}
	}
	if o.KeepSchema {
		missing, err := pending(ctx, tx, &postgresDialect, all)
		if err == nil && len(missing) > 0 && len(missing) < len(all) {
			err = errors.New("the database has the schema of an older version: use the command of that version")
		}
		if err != nil {
			return err
		}
	}
	if err := migrate(ctx, tx, &postgresDialect, all, name); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	return nil
}
