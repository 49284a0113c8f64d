package database

import (
	"context"
	"database/sql"
	"fmt"
)

// migrationLock is the key of the advisory lock that a server holds while it migrates.
const migrationLock = 0x77617966

// postgresObjects selects the objects of the schema. It has no definitions of indexes and constraints, which a later
// version of PostgreSQL can print differently; and no NOT NULL constraints, which it only names since version 18.
const postgresObjects = `
	SELECT c.relname || ': table ' || c.relname, string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END, ', ' ORDER BY a.attname)
	FROM pg_class AS c
	JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
	WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
	GROUP BY c.relname
	UNION ALL
	SELECT tablename || ': index ' || indexname, ''
	FROM pg_indexes
	WHERE schemaname = current_schema()
	UNION ALL
	SELECT c.relname || ': constraint ' || o.conname, o.contype::text
	FROM pg_constraint AS o
	JOIN pg_class AS c ON c.oid = o.conrelid
	WHERE o.connamespace = current_schema()::regnamespace AND o.contype <> 'n'
	UNION ALL
	SELECT c.relname || ': trigger ' || t.tgname, p.proname || ' ' || t.tgenabled::text || ' ' || p.prosrc
	FROM pg_trigger AS t
	JOIN pg_class AS c ON c.oid = t.tgrelid
	JOIN pg_proc AS p ON p.oid = t.tgfoid
	WHERE c.relnamespace = current_schema()::regnamespace AND NOT t.tgisinternal`

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
	if err := migrate(ctx, tx, &postgresDialect, all, name); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	return nil
}
