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
	Servers   int    // the number of connections that other Waymark processes have
}

// otherProcesses are the connections of other Waymarks. Those for backups have another name.
const otherProcesses = "FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'waymark' AND pid <> pg_backend_pid()"

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
			(SELECT count(*) `+otherProcesses+`)
		`).Scan(&state.Namespace, &state.Tables, &state.Servers); err != nil {
		return PostgresState{}, fmt.Errorf("read the tables of the database: %w", err)
	}
	row, err := readSchemaRow(ctx, db, &postgresDialect)
	state.Schema = row.version
	return state, err
}

// publicNamespace exists in every database, and pg_restore does not create it.
const publicNamespace = "public"

// lockTables fails if a process of Waymark has connected to the database. It locks the tables of
// the namespace, because it cannot know of a process that has no connection, or another name: its
// writes until the transaction ends would be in the old tables, which are set aside. Now it waits,
// and then writes into the restored tables.
const lockTables = `DO $$
DECLARE
	name text;
BEGIN
	IF EXISTS (SELECT 1 ` + otherProcesses + `) THEN
		RAISE EXCEPTION 'a Waymark server or command has connected to the database: stop it first';
	END IF;
	FOR name IN
		SELECT format('%I.%I', schemaname, tablename)
		FROM pg_tables
		WHERE schemaname = current_schema() AND pg_has_role(tableowner, 'USAGE')
		ORDER BY tablename
	LOOP
		EXECUTE 'LOCK TABLE ' || name;
	END LOOP;
EXCEPTION
	WHEN deadlock_detected THEN
		RAISE EXCEPTION 'another program writes to the tables: stop it, or restore again';
END
$$`

// SetAside returns the statements at the beginning of a transaction that restores a backup. They rename
// the namespace of the tables to aside, or delete it if it has none and aside is "", so that the
// backup can create it. Servers and commands that start wait until the transaction ends. If one has
// started since InspectPostgres, the statements fail.
func (s PostgresState) SetAside(aside string) []string {
	statements := []string{fmt.Sprintf("SELECT pg_advisory_xact_lock(%d)", migrationLock), lockTables}
	namespace := quoteName(s.Namespace)
	switch {
	case aside != "":
		statements = append(statements, "ALTER SCHEMA "+namespace+" RENAME TO "+quoteName(aside))
		if s.Namespace == publicNamespace {
			statements = append(statements, "CREATE SCHEMA "+namespace)
		}
	case s.Namespace != "" && s.Namespace != publicNamespace:
		statements = append(statements, "DROP SCHEMA "+namespace)
	}
	return statements
}

func quoteName(name string) string { return pgx.Identifier{name}.Sanitize() }

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

// openPostgresForBackup opens a database without migrating it. Its connections, which can still be
// listed for a moment after it was closed, are not those of otherProcesses. Its errors are sentences
// for the operator.
func openPostgresForBackup(ctx context.Context, url string) (*sql.DB, error) {
	connector, err := newFailoverConnector(url)
	if err != nil {
		return nil, err
	}
	for _, host := range connector.hosts {
		host.config.RuntimeParams["application_name"] = "waymark backup"
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	if err := db.PingContext(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}
