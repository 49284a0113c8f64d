package cli

import (
	"errors"
	"fmt"
	"time"

	"waymark/internal/backup"
)

// backupCommands are the commands about backups. The first one needs no name.
type backupCommands struct {
	Create backupCommand `cmd:"" default:"withargs" help:"Back up the database to a file."`
	List   backupList    `cmd:"" help:"List the backups that the server has made."`
}

func (*backupCommands) Help() string {
	return `"waymark backup" without a command is the same as "waymark backup create":

    waymark backup waymark-backup.tar.gz
    waymark backup list`
}

type backupList struct {
	Dir string `name:"backup-dir" help:"Directory for automatic backups." type:"path" env:"WAYMARK_BACKUP_DIR" placeholder:"DIR"`
}

func (*backupList) Help() string {
	return `Prints a line for each backup in --backup-dir, the newest first.

    waymark backup list`
}

func (c *backupList) Run(t *terminal) error {
	if c.Dir == "" {
		return usageError{errors.New("no directory: the server makes backups if --backup-dir is set")}
	}
	found, err := backup.List(c.Dir)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		fmt.Fprintf(t.err, "There are no backups in %s.\n", c.Dir)
	}
	table := newTable(t.out, "MADE", "SIZE", "FILE")
	for _, f := range found {
		table.row(f.At.UTC().Format(time.RFC3339), sizeText(f.Bytes), printable(f.File))
	}
	return table.Flush()
}
