package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// openReadOnly opens a database whose files or directory this process cannot write, which why says. Reads work, and
// every write returns why.
func (db *DB) openReadOnly(ctx context.Context, o Options, why error) error {
	if found, err := hasDatabase(o.Dir); err != nil || !found || checkAccess(filepath.Join(o.Dir, SQLiteFile), readAccess) != nil {
		return why
	}
	s, err := findSource(ctx, o.Dir)
	if err != nil {
		return err
	}
	db.onClose(s.close)
	if err := db.openReadConnections(s.url(cacheSize(readerCache), waitWhileBusy(busyTimeout), "_pragma=query_only(1)", "_pragma=temp_store(MEMORY)")); err != nil {
		return err
	}
	all, err := readMigrations(o.Migrations, "sqlite")
	if err != nil {
		return err
	}
	missing, err := pending(ctx, db.read, &sqliteDialect, all)
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("the database in %s must be migrated: %w", o.Dir, why)
	}
	db.writer = readOnly{why}
	return err
}

// readOnly is the writer of a database that cannot be written.
type readOnly struct{ why error }

func (w readOnly) writeTx(context.Context, func(context.Context, Querier) error) error { return w.why }

// ReadOnly returns why the database cannot be written, or nil if it can. Open with Options.Exclusive returns that error
// itself.
func (db *DB) ReadOnly() error {
	if w, ok := db.writer.(readOnly); ok {
		return w.why
	}
	return nil
}

// source is a database file that can be read.
type source struct {
	file, mode string
	temporary  string // the directory of a copy, "" for none
}

func (s source) url(settings ...string) string {
	return sqliteURL(s.file, append([]string{s.mode}, settings...)...)
}

// close deletes the copy.
func (s source) close() error {
	if s.temporary == "" {
		return nil
	}
	return os.RemoveAll(s.temporary)
}

// findSource finds a way to read the database in a directory. SQLite reads the write-ahead log with an index in a file
// beside it. Where it cannot create that file, it must exist; or the database is read without its log, if that is empty;
// or else from a copy in the directory for temporary files. Call close at the end.
func findSource(ctx context.Context, dir string) (source, error) {
	file := filepath.Join(dir, SQLiteFile)
	s := source{file: file, mode: "mode=rw"}
	if checkAccess(dir, writeAccess) == nil && checkAccess(file, writeAccess) == nil {
		return s, nil
	}
	s.mode = "mode=ro"
	err := s.test(ctx)
	switch {
	case err == nil:
		return s, nil
	case isDamage(err) || ctx.Err() != nil:
		return s, sqliteOpenError(file, err)
	case fileSize(file+"-wal") == 0:
		s.mode = "immutable=1"
		return s, nil
	}
	if s.temporary, err = os.MkdirTemp("", "waymark-*"); err != nil {
		return s, fmt.Errorf("cannot copy %s, which has a write-ahead log, to read it: %w", file, err)
	}
	s.file, s.mode = filepath.Join(s.temporary, SQLiteFile), "mode=rw"
	for _, suffix := range []string{"", "-wal"} {
		if err := copyFile(file+suffix, s.file+suffix); err != nil {
			return s, errors.Join(fmt.Errorf("cannot copy %s, which has a write-ahead log, to read it: %w: set TMPDIR to use another directory", file, err), s.close())
		}
	}
	return s, nil
}

// test reads from the database.
func (s source) test(ctx context.Context) error {
	db, err := sql.Open("sqlite", s.url())
	if err != nil {
		return err
	}
	defer db.Close() //nolint:errcheck // nothing was written
	var tables int
	return db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_master").Scan(&tables)
}

func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close() //nolint:errcheck // nothing was written
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}
