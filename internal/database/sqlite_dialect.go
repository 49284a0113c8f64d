package database

import (
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"waymark/internal/waymark"
)

var sqliteDialect = dialect{
	kind:           SQLite,
	readTxOptions:  &sql.TxOptions{},
	mapDriverError: mapSQLiteError,
	tableExists:    "EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '%s')",
	schemaObjects: `
		SELECT tbl_name || ': ' || type || ' ' || name, sql
		FROM sqlite_master
		WHERE sql IS NOT NULL AND tbl_name NOT LIKE 'sqlite!_%' ESCAPE '!'`,
}

// mapSQLiteError maps the result codes of https://www.sqlite.org/rescode.html.
func mapSQLiteError(err error) error {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return err
	}
	switch e.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return fmt.Errorf("%w: %w", waymark.ErrConflict, err)
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return fmt.Errorf("%w: %w", waymark.ErrNotFound, err)
	}
	switch resultCode(err) {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_BUSY,
		sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PROTOCOL:
		return fmt.Errorf("%w: %w", waymark.ErrUnavailable, err)
	}
	return err
}

// DamageAdvice is what to do about a damaged SQLite file, the end of every message about one.
const DamageAdvice = `stop the server and keep a copy of its files; then restore a backup, or save what can be read with waymark doctor --salvage DIR`

// resultCode returns the primary result code of an error of SQLite, or SQLITE_OK if err is none.
func resultCode(err error) int {
	e, ok := errors.AsType[*sqlite.Error](err)
	switch {
	case !ok:
		return sqlite3.SQLITE_OK
	case e.Code() == sqlite3.SQLITE_IOERR_SHMSIZE: // there is no space for the index of the WAL
		return sqlite3.SQLITE_FULL
	}
	return e.Code() & 0xff
}

// isDamage reports whether a file is damaged, or is not a database.
func isDamage(err error) bool {
	code := resultCode(err)
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
}

// isBusy reports whether another connection holds a lock that a statement needs.
func isBusy(err error) bool { return resultCode(err) == sqlite3.SQLITE_BUSY }

// IsDiskFull reports whether the database found no space on its disk, also in a part of a
// transaction. With PostgreSQL it is the disk of the database server.
func IsDiskFull(err error) bool {
	server, ok := errors.AsType[*pgconn.PgError](err)
	return resultCode(err) == sqlite3.SQLITE_FULL || ok && server.Code == "53100"
}
