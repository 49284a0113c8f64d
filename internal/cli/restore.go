package cli

import (
	"context"
	"errors"
	"fmt"

	"waymark/internal/backup"
	"waymark/internal/config"
)

type restoreCommand struct {
	File string `arg:"" type:"existingfile" help:"Backup that \"waymark backup\" or the server made."`

	Replace bool `help:"PostgreSQL: restore into a database that has tables, and move the old tables to another schema."`

	config.Store `embed:""`
}

func (*restoreCommand) Help() string {
	return `Checks the backup, then replaces the database in the data directory. The old database is kept under
another name. Stop the server first. If the command is interrupted, either the old or the new database is
in place; run the command again. For PostgreSQL, pg_restore and psql must be installed.

    waymark restore waymark-backup.tar.gz
    waymark restore waymark-backup.tar.gz --data /var/lib/waymark
    waymark restore waymark-backup.tar.gz --database postgres://waymark@db.example.org/waymark

Passwords and API keys are restored too: old passwords and revoked keys from the time of the backup work
again.`
}

func (c *restoreCommand) Run(t *terminal) error {
	ctx, stop := untilInterrupted(context.Background())
	defer stop()
	if c.Database == "" && c.Replace {
		return usageError{errors.New("--replace is for --database: with SQLite the old database is always kept")}
	}
	restore := func() (backup.Restored, error) { return backup.Restore(ctx, c.File, c.Data) }
	kept := "The old database is now %s: delete it when you do not need it any more.\n"
	if c.Database != "" {
		restore = func() (backup.Restored, error) {
			return backup.RestorePostgres(ctx, c.File, c.Database, c.Replace)
		}
		kept = "The old tables are now in schema %s: drop it when you do not need it any more.\n"
	}
	restored, err := restore()
	switch {
	case errors.Is(err, backup.ErrNotAnalyzed):
		return err
	case err != nil:
		return interrupted(ctx, err)
	}
	fmt.Fprintf(t.err, "Restored %s into %s.\n", describeBackup(restored.Manifest), describeStore(c.Store))
	if restored.Kept != "" {
		fmt.Fprintf(t.err, kept, restored.Kept)
	}
	return nil
}
