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
	"waymark/internal/store/doctor"
)

// Restored describes a backup that was restored.
type Restored struct {
	Manifest Manifest
	Kept     string // the SQLite file with the old data; "" for none
}

// Restore checks a backup, then replaces the SQLite database in a directory with the one in the
// backup. It keeps the old database in the directory under another name. Errors are sentences for the
// operator. After an error, the old database is in place, unless only cleaning up has failed.
func Restore(ctx context.Context, file, dir string) (r Restored, err error) {
	archive, closeFile, err := openBackup(file)
	if err != nil {
		return Restored{}, err
	}
	defer closeFile()
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
	staged, err := archive.extractTo(ctx, staging)
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
	r.Manifest = archive.Manifest
	if kept {
		r.Kept = filepath.Join(dir, aside)
	}
	return r, nil
}

// RestorePostgres restores a backup into an empty PostgreSQL database, in one transaction. Errors are sentences for the
// operator. After an error, the database is empty.
func RestorePostgres(ctx context.Context, file, databaseURL string) (r Restored, err error) {
	archive, closeFile, err := openBackup(file)
	if err != nil {
		return Restored{}, err
	}
	defer closeFile()
	dir, release, err := newWorkDir(os.TempDir())
	if err != nil {
		return Restored{}, err
	}
	defer release()
	if _, err := archive.extractTo(ctx, dir); err != nil {
		return Restored{}, fmt.Errorf("%s: %w", file, err)
	}
	from, err := store.OpenDatabase(ctx, store.Options{Dir: dir, MustExist: true})
	if err != nil {
		return Restored{}, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := store.OpenDatabase(ctx, store.Options{Database: databaseURL})
	if err != nil {
		return Restored{}, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	err = doctor.MigrateDatabase(ctx, from, to, func(int, int) {})
	if errors.Is(err, doctor.ErrNotEmpty) {
		err = errors.New("the database is not empty: restore into a new one")
	}
	return Restored{Manifest: archive.Manifest}, err
}

// openBackup opens a backup. It returns an error if this version of Waymark cannot restore it. The caller must call
// closeFile.
func openBackup(file string) (archive *archiveReader, closeFile func(), err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	if archive, err = openArchive(f); err == nil {
		err = archive.Manifest.checkSchema()
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	return archive, func() { _ = f.Close() }, nil
}

// checkSchema returns an error if this version of Waymark cannot migrate the schema of a backup.
func (m Manifest) checkSchema() error {
	first, last, err := store.Schemas()
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

// extractTo writes the database of a backup to a new file in a directory, and checks it.
func (a *archiveReader) extractTo(ctx context.Context, dir string) (file string, err error) {
	file = filepath.Join(dir, database.SQLiteFile)
	if err := checkSpace(file, a.Manifest.Size); err != nil {
		return "", err
	}
	if err := database.CreateFile(file); err != nil {
		return "", err
	}
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return "", err
	}
	if err := a.extract(ctx, syncedFile{f}); err != nil {
		return "", err
	}
	schema, err := inspect(ctx, file)
	if err == nil && schema != a.Manifest.Schema {
		err = damaged(fmt.Errorf("its manifest says schema %d, but the database has schema %d", a.Manifest.Schema, schema))
	}
	return file, err
}

// syncedFile is a file that is synced when it is closed.
type syncedFile struct{ *os.File }

// Close syncs and closes the file.
func (f syncedFile) Close() error { return errors.Join(f.Sync(), f.File.Close()) }
