// Package backup makes backups of a database and restores them. A backup is a tar.gz file with a
// manifest and a copy of the database, so it can be opened without Waymark. The copy is a SQLite database, also that
// of PostgreSQL. The manifest has its checksum. The package does not read or write tables itself.
package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"waymark/internal/config"
	"waymark/internal/database"
	"waymark/internal/store"
	"waymark/internal/store/doctor"
)

// Source says what to back up.
type Source struct {
	Dir      string // the data directory of SQLite
	Database string // "" for SQLite in Dir, else a postgres:// URL
	Version  string // of Waymark, for the manifest
	// Copy copies the SQLite database in Dir to a new file; nil for database.BackUpSQLite.
	Copy func(ctx context.Context, file string) error
	Now  func() time.Time // the clock; nil for the system's
}

// Result describes a backup that was made.
type Result struct {
	File  string // its path
	Bytes int64  // its size
}

func (s Source) now() time.Time {
	if s.Now == nil {
		return time.Now().UTC()
	}
	return s.Now().UTC()
}

// Create makes a backup, checks it and gives it the name file. If file is a directory, the backup
// gets a name of FileName in it. Create returns ErrExists if the file exists, or replaces it if
// overwrite is set; it replaces only regular files. The file appears when it is complete. Errors are
// sentences for the operator.
func Create(ctx context.Context, s Source, file string, overwrite bool) (Result, error) {
	began := s.now()
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		file = filepath.Join(file, FileName(began))
	}
	if err := mayCreate(file, overwrite); err != nil {
		return Result{}, err
	}
	dir, release, err := newWorkDir(filepath.Dir(file))
	if err != nil {
		return Result{}, err
	}
	defer release()
	copied, manifest, err := collect(ctx, s, dir)
	if err != nil {
		return Result{}, err
	}
	packed := filepath.Join(dir, "backup"+Extension)
	if err := writeNew(packed, func(w io.Writer) error { return pack(ctx, w, copied, manifest) }); err != nil {
		return Result{}, fmt.Errorf("write the backup: %w", err)
	}
	info, err := os.Stat(packed)
	if err != nil {
		return Result{}, err
	}
	if _, err := Verify(ctx, packed); err != nil {
		return Result{}, fmt.Errorf("the backup was written, but could not be read again: %w", err)
	}
	if err := publish(packed, file, overwrite); err != nil {
		return Result{}, err
	}
	return Result{File: file, Bytes: info.Size()}, nil
}

// Write makes a backup and writes it to w, without checking it. Until it returns, the directory for
// temporary files has a copy of the database.
func Write(ctx context.Context, s Source, w io.Writer) (Manifest, error) {
	dir, release, err := newWorkDir(os.TempDir())
	if err != nil {
		return Manifest{}, err
	}
	defer release()
	copied, manifest, err := collect(ctx, s, dir)
	if err != nil {
		return Manifest{}, err
	}
	return manifest, pack(ctx, w, copied, manifest)
}

// Verify reads a backup, compares it with the checksums in its manifest, and returns the manifest.
func Verify(ctx context.Context, file string) (Manifest, error) {
	f, err := os.Open(file)
	if err != nil {
		return Manifest{}, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	r, err := openArchive(f)
	if err != nil {
		return Manifest{}, err
	}
	return r.Manifest, r.extract(ctx, discard{})
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) Close() error                { return nil }

// collect copies the database to a file in a directory, checks the copy, and returns the manifest.
func collect(ctx context.Context, s Source, dir string) (file string, m Manifest, err error) {
	m = Manifest{Format: format, Version: version, CreatedAt: s.now().Truncate(time.Second), Waymark: s.Version}
	file = filepath.Join(dir, database.SQLiteFile)
	if config.IsPostgresURL(s.Database) {
		err = copyPostgres(ctx, s.Database, dir)
	} else {
		err = s.copySQLite(ctx, file)
	}
	if err != nil {
		return "", Manifest{}, err
	}
	if m.Schema, err = inspect(ctx, file); err != nil {
		return "", Manifest{}, fmt.Errorf("check the copy of the database: %w", err)
	}
	return file, m, m.describe(ctx, file)
}

// copyPostgres copies a PostgreSQL database to a SQLite database in a directory. It does not migrate the source.
func copyPostgres(ctx context.Context, databaseURL, dir string) (err error) {
	from, err := store.OpenDatabase(ctx, store.Options{Database: databaseURL, MustExist: true, KeepSchema: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := store.OpenDatabase(ctx, store.Options{Dir: dir})
	if err != nil {
		return err
	}
	if err = doctor.MigrateDatabase(ctx, from, to, func(int, int) {}); err == nil {
		err = to.EmptyWAL(ctx) // the backup has the file without its log
	}
	return errors.Join(err, to.Close())
}

// spaceMargin is the free space in bytes that must remain after a copy.
const spaceMargin = 4 << 20

// copySQLite copies the database to a new file.
func (s Source) copySQLite(ctx context.Context, file string) error {
	var size int64
	for _, name := range []string{database.SQLiteFile, database.SQLiteFile + "-wal"} {
		if info, err := os.Stat(filepath.Join(s.Dir, name)); err == nil {
			size += info.Size()
		}
	}
	if err := checkSpace(file, size); err != nil {
		return err
	}
	if s.Copy != nil {
		return s.Copy(ctx, file)
	}
	return database.BackUpSQLite(ctx, s.Dir, file)
}

// checkSpace returns an error unless there is space for a file of that size and spaceMargin. The file
// is in a working directory: the error names the parent of that directory.
func checkSpace(file string, size int64) error {
	free := database.FreeSpace(file)
	if free >= size+spaceMargin {
		return nil
	}
	dir, advice := filepath.Dir(filepath.Dir(file)), ""
	if dir == filepath.Clean(os.TempDir()) {
		advice = ": set TMPDIR to use another directory"
	}
	return fmt.Errorf("not enough space in %s: %d MiB are needed, %d MiB are free%s", dir, (size+spaceMargin)>>20+1, free>>20, advice)
}

// inspect checks a SQLite database that no process has open, and returns its schema version.
func inspect(ctx context.Context, file string) (schema int64, err error) {
	schema, damage, err := database.InspectSQLite(ctx, file)
	switch {
	case err != nil:
		return 0, err
	case len(damage) > 0:
		return 0, fmt.Errorf("the database file is damaged (%s): %s", damage[0], database.DamageAdvice)
	case schema == 0:
		return 0, errors.New("it is not a database of Waymark")
	}
	return schema, nil
}
