package backup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"waymark/internal/database"
	"waymark/internal/store"
)

// Restored describes a backup that was restored.
type Restored struct {
	Manifest Manifest
	// Kept is the SQLite file, or the namespace in PostgreSQL, with the old data; "" for none.
	Kept string
}

// Restore checks a backup, then replaces the SQLite database in a directory with the one in the
// backup. It keeps the old database in the directory under another name. Errors are sentences for the
// operator. After an error, the old database is in place, unless only cleaning up has failed.
func Restore(ctx context.Context, file, dir string) (r Restored, err error) {
	archive, closeFile, err := openBackup(file, SQLite)
	if err != nil {
		return Restored{}, err
	}
	defer closeFile()
	m := archive.Manifest
	unlock, err := database.LockSQLite(ctx, dir)
	if err != nil {
		return Restored{}, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	staging := filepath.Join(dir, database.RestoreDir)
	if err := os.RemoveAll(staging); err != nil { // of a process that was killed
		return Restored{}, err
	}
	if err := database.CreateDir(staging); err != nil {
		return Restored{}, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(staging)) }()
	staged := filepath.Join(staging, sqliteName)
	if err := archive.extractTo(ctx, staged); err != nil {
		return Restored{}, fmt.Errorf("%s: %w", file, err)
	}
	schema, err := inspect(ctx, staged)
	if err == nil && schema != m.Schema {
		err = damaged(fmt.Errorf("its manifest says schema %d, but the database has schema %d", m.Schema, schema))
	}
	if err != nil {
		return Restored{}, fmt.Errorf("%s: %w", file, err)
	}
	aside := "waymark-before-restore-" + time.Now().UTC().Format("20060102T150405.000Z") + ".db"
	if err := mustNotExist(filepath.Join(dir, aside)); err != nil { // of a restore in the same millisecond
		return Restored{}, err
	}
	kept, err := database.ReplaceSQLite(ctx, dir, staged, aside)
	if err != nil {
		return Restored{}, err
	}
	r.Manifest = m
	if kept {
		r.Kept = filepath.Join(dir, aside)
	}
	return r, nil
}

// openBackup opens a backup of a kind of database: SQLite or PostgreSQL. It returns an error if the
// backup is of the other kind, or if this version of Waymark cannot restore it. The caller must call
// closeFile.
func openBackup(file, kind string) (_ *archiveReader, closeFile func(), err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			_ = f.Close() // nothing was written
		}
	}()
	archive, err := openArchive(f)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	schemas := database.SQLite
	switch {
	case kind == SQLite && archive.Manifest.Database != SQLite:
		return nil, nil, fmt.Errorf("%s is a backup of PostgreSQL: name the database to restore it to with --database", file)
	case kind == PostgreSQL && archive.Manifest.Database != PostgreSQL:
		return nil, nil, fmt.Errorf("%s is a backup of SQLite: restore it without --database, then use waymark migrate database to fill a PostgreSQL database", file)
	case kind == PostgreSQL:
		schemas = database.PostgreSQL
	}
	if err := checkSchema(archive.Manifest, schemas); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	return archive, func() { _ = f.Close() }, nil
}

// checkSchema returns an error if this version of Waymark cannot migrate the schema of a backup.
func checkSchema(m Manifest, kind database.Kind) error {
	first, last, err := store.Schemas(kind)
	switch {
	case err != nil:
		return err
	case m.Schema > last:
		return fmt.Errorf("the backup (schema %d) was made by a newer version of Waymark (%s); this version supports schema %d: upgrade Waymark", m.Schema, m.Waymark, last)
	case m.Schema < first:
		return fmt.Errorf("the backup (schema %d) was made by a development version of Waymark (%s), and this version cannot migrate it: restore it with that version, and see docs/upgrade.md", m.Schema, m.Waymark)
	}
	return nil
}

// extractTo writes the file of a backup to a new file.
func (a *archiveReader) extractTo(ctx context.Context, path string) error {
	if err := checkSpace(path, a.Manifest.Files[0].Size); err != nil {
		return err
	}
	if err := database.CreateFile(path); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return a.extract(ctx, syncedFile{f})
}

// syncedFile is a file that is synced when it is closed.
type syncedFile struct{ *os.File }

// Close syncs and closes the file.
func (f syncedFile) Close() error { return errors.Join(f.Sync(), f.File.Close()) }
