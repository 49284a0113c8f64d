package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"waymark/internal/backup"
	"waymark/internal/config"
	"waymark/internal/database"
	"waymark/internal/store"
	"waymark/internal/store/doctor"
	"waymark/internal/transfer"
)

// salvage writes archives of what can be read of the damaged SQLite database in a directory to a new directory.
func salvage(ctx context.Context, t *terminal, from config.Store, dir string) (err error) {
	if from.Database != "" {
		return usageError{errors.New("--salvage reads a SQLite database: for PostgreSQL, restore a backup or use its tools")}
	}
	unlock, err := database.LockSQLite(ctx, from.Data)
	switch {
	case err == nil:
		defer func() { err = errors.Join(err, unlock()) }()
	case !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS): // a disk that fails is often read-only
		return err
	}
	copied := filepath.Join(dir, "waymark.salvage") // it needs as much space as the database
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("%w: --salvage needs a directory that does not exist yet, so that nothing is replaced", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(copied)) }()
	into, err := store.OpenDatabase(ctx, store.Options{Dir: copied})
	if err != nil {
		return err
	}
	rows, left, err := doctor.Salvage(ctx, from.Data, into)
	if err := errors.Join(err, into.Close()); err != nil {
		return err
	}
	if rows == 0 {
		return errors.New("nothing in the database can be read: restore a backup")
	}
	fmt.Fprintf(t.err, "Read %s.", countOf(rows, "row"))
	if left > 0 {
		fmt.Fprintf(t.err, " %s left out, because what they refer to is damaged.", countOf(left, "row"))
	}
	fmt.Fprintln(t.err)
	s, err := store.Open(ctx, store.Options{Dir: copied})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	users, err := s.Accounts.Users(ctx)
	if err != nil {
		return err
	}
	exports := transfer.New(s, 0)
	for _, user := range users {
		file := filepath.Join(dir, strings.NewReplacer("/", "_", `\`, "_", ":", "_").Replace(user.Name)+".ndjson")
		err := backup.WriteFile(file, false, func(w io.Writer) error {
			return exports.Export(ctx, user, transfer.ExportArchive, w)
		})
		if err != nil {
			return fmt.Errorf("write the archive of %s: %w", user.Name, err)
		}
		fmt.Fprintln(t.out, file)
	}
	return nil
}
