package cli

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"waymark/internal/backup"
	"waymark/internal/config"
	"waymark/internal/store"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

type exportCommand struct {
	User      string `required:"" placeholder:"NAME" help:"User whose links are exported."`
	Format    string `required:"" placeholder:"FORMAT" help:"archive (all data, for Waymark), html (for browsers), csv, json, markdown or readwise (marked passages)."`
	Output    string `short:"o" placeholder:"FILE" help:"File to create, compressed if its name ends with .gz. Default: standard output."`
	Overwrite bool   `help:"Replace the file if it exists."`

	config.Store `embed:""`
}

func (*exportCommand) Help() string {
	return `The data are of one moment. The server may be running.

    waymark export --user ann --format archive --output ann.ndjson.gz
    waymark export --user ann --format html > bookmarks.html

An archive has all data of the user, and can be imported again. The other formats have the links with
their lists, tags and notes.`
}

func (c *exportCommand) Run(t *terminal) error {
	format, err := transfer.ParseExportFormat(c.Format)
	if err != nil {
		return usageError{fmt.Errorf("--format: %w", err)}
	}
	if c.Overwrite && c.Output == "" {
		return usageError{errors.New("--overwrite needs --output")}
	}
	ctx, stop := untilInterrupted(context.Background())
	defer stop()
	return withUser(c.Store, c.User, func(_ context.Context, s *store.Store, user waymark.User) error {
		write := func(w io.Writer) error { return transfer.New(s, 0).Export(ctx, user, format, w) }
		if c.Output == "" {
			return interruptedOutput(ctx, write(t.out))
		}
		return interrupted(ctx, writeFile(c.Output, c.Overwrite, write))
	})
}

// writeFile creates a file with what write writes, compressed if its name ends with .gz.
func writeFile(file string, overwrite bool, write func(w io.Writer) error) error {
	if !strings.HasSuffix(file, ".gz") {
		return adviseOverwrite(backup.WriteFile(file, overwrite, write))
	}
	return adviseOverwrite(backup.WriteFile(file, overwrite, func(w io.Writer) error { return compress(w, write) }))
}

// compress writes what write writes, compressed.
func compress(w io.Writer, write func(io.Writer) error) error {
	compressed := gzip.NewWriter(w)
	if err := write(compressed); err != nil {
		return err // Close would return the same error again
	}
	return compressed.Close()
}

// adviseOverwrite says what to do if a command would replace a file.
func adviseOverwrite(err error) error {
	if errors.Is(err, backup.ErrExists) {
		return fmt.Errorf("%w: choose another name, or replace it with --overwrite", err)
	}
	return err
}
