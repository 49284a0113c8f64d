package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// PostgresState says what is in a PostgreSQL database.
type PostgresState struct {
	Namespace string // the PostgreSQL schema of the tables, such as public; "" if it does not exist
	Tables    int    // the number of tables in the namespace
	Schema    int64  // the number of the last migration of Waymark, 0 if there is none
	Servers   int    // the number of connections of other processes of Waymark
}

// InspectPostgres returns what is in a database. It changes nothing.
func InspectPostgres(ctx context.Context, url string) (state PostgresState, err error) {
	db, err := openPostgresForBackup(ctx, url)
	if err != nil {
		return PostgresState{}, err
	}
	defer db.Close() //nolint:errcheck // nothing is lost with it
	if err := db.QueryRowContext(ctx, `
		SELECT coalesce(current_schema(), ''),
			(SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()),
			(SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'waymark' AND pid <> pg_backend_pid())
		`).Scan(&state.Namespace, &state.Tables, &state.Servers); err != nil {
		return PostgresState{}, fmt.Errorf("read the tables of the database: %w", err)
	}
	state.Schema, err = schemaVersion(ctx, db, "SELECT to_regclass('goose_db_version') IS NOT NULL")
	return state, err
}

// publicNamespace is the one that every database has, and that pg_restore does not create.
const publicNamespace = "public"

// SetAside renames the namespace of the tables to aside, so that a backup can be restored in its
// place. If there are no tables, aside is "", and SetAside deletes the namespace. The function that
// it returns undoes that, for a backup that could not be restored.
func (s PostgresState) SetAside(ctx context.Context, url, aside string) (undo func(context.Context) error, err error) {
	if s.Namespace == "" || aside == "" && s.Namespace == publicNamespace {
		return func(context.Context) error { return nil }, nil
	}
	namespace, old := quoteName(s.Namespace), quoteName(aside)
	change, back := []string{"DROP SCHEMA " + namespace}, []string{"CREATE SCHEMA " + namespace}
	if aside != "" {
		change, back = []string{"ALTER SCHEMA " + namespace + " RENAME TO " + old}, []string{"ALTER SCHEMA " + old + " RENAME TO " + namespace}
		if s.Namespace == publicNamespace {
			change, back = append(change, "CREATE SCHEMA "+namespace), append([]string{"DROP SCHEMA " + namespace}, back...)
		}
	}
	return func(ctx context.Context) error { return changeNamespaces(ctx, url, back) }, changeNamespaces(ctx, url, change)
}

func quoteName(name string) string { return pgx.Identifier{name}.Sanitize() }

// changeNamespaces executes statements in one transaction.
func changeNamespaces(ctx context.Context, url string, statements []string) (err error) {
	db, err := openPostgresForBackup(ctx, url)
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // nothing is lost with it
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // no effect after a commit
	for _, text := range statements {
		if _, err := tx.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
	}
	return tx.Commit()
}

// AnalyzePostgres updates the statistics of the query planner for all tables.
func AnalyzePostgres(ctx context.Context, url string) error {
	db, err := openPostgresForBackup(ctx, url)
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // nothing is lost with it
	_, err = db.ExecContext(ctx, "ANALYZE")
	return err
}

// openPostgresForBackup opens a database without migrating it. Its errors are sentences for
// the operator.
func openPostgresForBackup(ctx context.Context, url string) (*sql.DB, error) {
	connector, err := newFailoverConnector(url)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	if err := db.PingContext(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}
