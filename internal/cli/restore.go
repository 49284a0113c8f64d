package cli

import (
	"context"
	"fmt"

	"waymark/internal/backup"
	"waymark/internal/config"
)

type restoreCommand struct {
	File string `arg:"" type:"existingfile" help:"Backup that \"waymark backup\" or the server made."`

	config.Store `embed:""`
}

func (*restoreCommand) Help() string {
	return `Stop the server first. The backup is checked, and the old database is kept under another name. PostgreSQL
needs an empty database. If the command is interrupted, run it again.

    waymark restore waymark-backup.tar.gz
    waymark restore waymark-backup.tar.gz --data /var/lib/waymark
    waymark restore waymark-backup.tar.gz --database postgres://waymark@db.example.org/waymark

Passwords and API keys are those of the backup: keys that were revoked since work again.`
}

func (c *restoreCommand) Run(t *terminal) error {
	ctx, stop := untilInterrupted(context.Background())
	defer stop()
	restored, err := c.restore(ctx)
	if err != nil {
		return interrupted(ctx, err)
	}
	fmt.Fprintf(t.err, "Restored %s into %s.\n", describeBackup(restored.Manifest), describeStore(c.Store))
	if restored.Kept != "" {
		fmt.Fprintf(t.err, "The old database is now %s: delete it when you do not need it any more.\n", restored.Kept)
	}
	return nil
}

func (c *restoreCommand) restore(ctx context.Context) (backup.Restored, error) {
	if c.Database != "" {
		return backup.RestorePostgres(ctx, c.File, c.Database)
	}
	return backup.Restore(ctx, c.File, c.Data)
}
