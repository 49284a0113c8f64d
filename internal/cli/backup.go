package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/signal"
	"syscall"
	"time"

	"waymark/internal/backup"
	"waymark/internal/config"
)

type backupCommand struct {
	File string `arg:"" help:"File to create, directory to create it in, or - for standard output."`

	Overwrite bool `help:"Replace the file if it exists."`
	Check     bool `help:"Check an existing backup instead."`

	config.Store `embed:""`
}

func (*backupCommand) Help() string {
	return `Copies the database as it is at one moment, checks the copy and compresses it. The server may be running.
The file has all data: keep it as safe as the database.

    waymark backup waymark-backup.tar.gz
    waymark backup /var/backups/waymark
    waymark backup - | ssh other-machine 'cat > waymark-backup.tar.gz'
    waymark backup --check waymark-backup.tar.gz

The server makes backups itself with --backup-dir.`
}

func (c *backupCommand) Run(t *terminal) error {
	ctx, stop := untilInterrupted(context.Background())
	defer stop()
	source := backup.Source{Dir: c.Data, Database: c.Database, Version: versionString()}
	switch {
	case c.Check:
		m, err := backup.Verify(ctx, c.File)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("there is no file %s", c.File)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.File, err)
		}
		fmt.Fprintf(t.err, "%s is complete: %s.\n", c.File, describeBackup(m))
		return nil
	case c.File == "-":
		return c.toStdout(ctx, t, source)
	}
	result, err := backup.Create(ctx, source, c.File, c.Overwrite)
	if err != nil {
		return interrupted(ctx, adviseOverwrite(err))
	}
	fmt.Fprintf(t.err, "Backup written to %s and checked (%s).\n", result.File, sizeText(result.Bytes))
	return nil
}

func (c *backupCommand) toStdout(ctx context.Context, t *terminal, source backup.Source) error {
	if isTerminal(t.out) {
		return usageError{errors.New("a backup is not text: redirect standard output to a file or a program")}
	}
	signal.Ignore(syscall.SIGPIPE) // so that Write deletes its files if nothing reads the pipe any more
	_, err := backup.Write(ctx, source, struct{ io.Writer }{t.out})
	return interruptedOutput(ctx, err)
}

func describeBackup(m backup.Manifest) string {
	return fmt.Sprintf("a backup of %s, schema %d", m.CreatedAt.Format("2006-01-02 15:04:05 MST"), m.Schema)
}

// sizeText returns a number of bytes as a text.
func sizeText(bytes int64) string {
	switch {
	case bytes < 1<<10:
		return fmt.Sprintf("%d bytes", bytes)
	case bytes < 1<<20:
		return fmt.Sprintf("%d KiB", bytes>>10)
	default:
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	}
}

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
