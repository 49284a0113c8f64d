package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"waymark/internal/backup"
	"waymark/internal/config"
)

type restoreCommand struct {
	File string `arg:"" type:"existingfile" help:"Backup that \"waymark backup\" or the server made."`

	Replace bool `help:"PostgreSQL: restore into a database that has tables, and move the old tables to another schema."`

	config.Store `embed:""`
}

// Help returns the help text below the summary.
func (*restoreCommand) Help() string {
	return `Checks the backup, then puts it in the place of the database in the data directory, which is kept
beside it under another name. Stop the server first. If the command is interrupted, the old database or
the new one is in place; run it again. For PostgreSQL, pg_restore must be installed.

    waymark restore waymark-backup.tar.gz
    waymark restore waymark-backup.tar.gz --data /var/lib/waymark
    waymark restore waymark-backup.tar.gz --database postgres://waymark@db.example.org/waymark

Passwords and API keys are again those of the time of the backup, also if they were changed or revoked
since.`
}

func (c *restoreCommand) Run(t *terminal) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
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
