package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"waymark/internal/archive"
	"waymark/internal/config"
	"waymark/internal/migrate"
	"waymark/internal/store"
	"waymark/internal/transfer"
	"waymark/internal/waymark"
)

// migrateAPI has the flags of migrations through an API.
type migrateAPI struct {
	URL  string `name:"url" placeholder:"URL" help:"URL of the other program, as in a browser."`
	Key  string `placeholder:"KEY" env:"WAYMARK_MIGRATE_KEY" help:"API key in the other program, or - to read it from standard input. Use the variable: other users can see flags."`
	User string `placeholder:"NAME" help:"User of Waymark to whom the data is added."`

	config.Store `embed:""`
}

// client returns a client of the other program. authorization is the scheme before the key.
func (c *migrateAPI) client(t *terminal, authorization string, p *progress) (*migrate.Client, error) {
	switch {
	case c.URL == "":
		return nil, usageError{errors.New("missing flag: --url URL")}
	case c.User == "":
		return nil, usageError{errors.New("missing flag: --user NAME")}
	}
	serverURL, err := migrate.ParseURL(c.URL)
	if err != nil {
		return nil, usageError{err}
	}
	key := strings.TrimSpace(c.Key)
	if key == "-" {
		line, err := bufio.NewReader(io.LimitReader(t.in, maxKeyLine)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("read the key: %w", err)
		}
		key = strings.TrimSpace(line)
	}
	if key == "" || strings.ContainsAny(key, "\r\n") {
		return nil, usageError{errors.New("missing key: set WAYMARK_MIGRATE_KEY, or use --key - and write it to standard input")}
	}
	return &migrate.Client{
		URL: serverURL, Authorization: authorization + " " + key, Version: versionString(),
		Waiting: func(wait time.Duration) {
			p.print("%s permits no more requests for now: waiting %s", serverURL, wait.Round(time.Second))
		},
	}, nil
}

// maxKeyLine limits what is read of standard input for a key, in bytes.
const maxKeyLine = 4096

// recordSeq are the entities of a user.
type recordSeq = iter.Seq2[archive.Record, error]

// migration is a migration of one user.
type migration struct {
	from    string // the program
	file    string // where it is, without a password
	records func(ctx context.Context) recordSeq
	totals  func() migrate.Totals
	print   func(format string, args ...any) // prints a line
}

// run imports what the other program has of a user.
func (m *migration) run(ctx context.Context, imports *transfer.Transfer, user waymark.User) error {
	// What fails at the first request, for example because of a wrong key, is not stored as an import.
	records, stop, err := begin(m.records(ctx))
	defer stop()
	i := waymark.Import{File: m.file, Format: m.from}
	var batch *transfer.ImportBatch
	if err == nil {
		batch, err = imports.BeginImport(ctx, user, i, func(_ waymark.Import, problems []waymark.ImportProblem) {
			for _, problem := range problems {
				m.print("%s", printable(problem.String()))
			}
		})
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return errors.New("interrupted: no links were imported")
	case err != nil:
		return fmt.Errorf("%w; no links were imported", err)
	}
	i, err = batch.Archive(ctx, records)
	read := m.totals()
	switch {
	case errors.Is(err, store.ErrImportEnded):
		return err
	case err != nil && ctx.Err() != nil:
		return fmt.Errorf("interrupted: %s; run the command again to import the rest", describeCounts(i))
	case err != nil && i.Counts.Read == 0:
		return fmt.Errorf("%w; no links were imported", err)
	case err != nil:
		return fmt.Errorf("%w; until then: %s; run the command again to import the rest", err, describeCounts(i))
	}
	m.print("%s: %s, %s, %s and %s were read from %s.", user.Name,
		countOf(read.Lists, "list"), countOf(read.Tags, "tag"), countOf(read.Links, "link"), countOf(read.Notes, "note"), m.from)
	if i.Counts != (waymark.ImportCounts{}) { // "0 links added" after "1 note" would sound like an error
		m.print("%s: %s.", user.Name, describeCounts(i))
	}
	if i.Counts.Read != read.Links {
		return fmt.Errorf("%s: %d links were read, but %d were imported: please report this", user.Name, read.Links, i.Counts.Read)
	}
	return nil
}

// begin reads the first record, and returns all or its error. The caller must call stop.
func begin(records recordSeq) (all recordSeq, stop func(), err error) {
	next, stop := iter.Pull2(records)
	first, err, ok := next()
	return func(yield func(archive.Record, error) bool) {
		for record, err := first, err; ok && yield(record, err); {
			record, err, ok = next()
		}
	}, stop, err
}

// migrateThroughAPI imports what a client reads.
func migrateThroughAPI(flags migrateAPI, m *migration) error {
	return withStoreForImports(flags.Store, waymark.FetchPolicy{}, func(ctx context.Context, s *store.Store) error {
		imports := transfer.New(s, 0)
		user, err := userByName(ctx, s, flags.User)
		if err != nil {
			return err
		}
		return m.run(ctx, imports, user)
	})
}
