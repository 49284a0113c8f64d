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

	Replace bool `help:"PostgreSQL: move tables that exist to another schema first."`

	config.Store `embed:""`
}

func (*restoreCommand) Help() string {
	return `Stop the server first. The backup is checked, and the old database is kept under another name. If the
command is interrupted, run it again. For PostgreSQL, pg_restore and psql must be installed.

    waymark restore waymark-backup.tar.gz
    waymark restore waymark-backup.tar.gz --data /var/lib/waymark
    waymark restore waymark-backup.tar.gz --database postgres://waymark@db.example.org/waymark

Passwords and API keys are those of the backup: keys that were revoked since work again.`
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
