package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"

	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

// migrationLock is the key of the advisory lock that a server holds while it migrates.
const migrationLock = 0x77617966

const postgresVersionsExist = "SELECT to_regclass('goose_db_version') IS NOT NULL"

// migratePostgres applies pending migrations, all or none. Of several servers that start together
// one migrates, and the others wait. It uses one connection: if each server used several, waiting
// servers could take the connections that the migration needs.
func migratePostgres(ctx context.Context, db *sql.DB, o Options) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("lock the database for the migration: %w", err)
	}
	defer conn.Close()
	return conn.Raw(func(driverConn any) error {
		conn := driverConn.(postgresConn)
		// The lock is one of a transaction: poolers may give each transaction another session.
		tx, err := conn.BeginTx(ctx, driver.TxOptions{})
		if err != nil {
			return fmt.Errorf("lock the database for the migration: %w", err)
		}
		defer tx.Rollback() //nolint:errcheck // no effect after a commit
		inTx := sql.OpenDB(txConnector{conn.Conn})
		inTx.SetMaxOpenConns(1)
		defer inTx.Close() //nolint:errcheck // it leaves the connection open
		if _, err := inTx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", migrationLock); err != nil {
			return fmt.Errorf("lock the database for the migration: %w", err)
		}
		migrations, err := newMigrations(inTx, goose.DialectPostgres, "postgres", o)
		if err != nil {
			return err
		}
		if found, err := pending(ctx, migrations); err != nil || !found {
			return err
		}
		if err := applyMigrations(ctx, migrations); err != nil {
			return err
		}
		if err := tx.Commit(); err != nil {
			return fmt.Errorf("migrate the database: %w", err)
		}
		return nil
	})
}

// txConnector is for a sql.DB on a connection in a transaction: its transactions are savepoints.
type txConnector struct{ conn *stdlib.Conn }

// Connect returns the connection.
func (c txConnector) Connect(context.Context) (driver.Conn, error) { return txConn{c.conn}, nil }

// Driver returns the driver of pgx. Package sql requires the method.
func (c txConnector) Driver() driver.Driver { return stdlib.GetDefaultDriver() }

// txConn is the connection of a txConnector.
type txConn struct{ *stdlib.Conn }

// Close leaves the connection open.
func (c txConn) Close() error { return nil }

// ResetSession does nothing.
func (c txConn) ResetSession(context.Context) error { return nil }

// BeginTx sets a savepoint.
func (c txConn) BeginTx(ctx context.Context, _ driver.TxOptions) (driver.Tx, error) {
	s := savepoint{ctx, c.Conn}
	return s, s.exec("SAVEPOINT migration")
}

// savepoint is a part of a transaction.
type savepoint struct {
	ctx  context.Context
	conn *stdlib.Conn
}

// Commit keeps the changes since the savepoint.
func (s savepoint) Commit() error { return s.exec("RELEASE SAVEPOINT migration") }

// Rollback undoes them.
func (s savepoint) Rollback() error { return s.exec("ROLLBACK TO SAVEPOINT migration") }

func (s savepoint) exec(text string) error {
	_, err := s.conn.ExecContext(s.ctx, text, nil)
	return err
}
