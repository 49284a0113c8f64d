package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"waymark/internal/config"
	"waymark/internal/store"
)

type copyCommand struct {
	From string `required:"" placeholder:"DATABASE" help:"Source: sqlite:DIR or postgres://…"`
	To   string `required:"" placeholder:"DATABASE" help:"Target, which must be empty: sqlite:DIR or postgres://…"`
}

// Help returns the help text below the summary.
func (*copyCommand) Help() string {
	return `Copies all data, the trash included, except undo records, revoked API keys and stored responses of
Idempotency-Keys. IDs stay the same and API keys keep working. The source is not changed. Stop the
server first: writes during the copy are not copied. The copy is atomic: if it is interrupted, the
target stays empty.

    waymark copy --from sqlite:data --to postgres://waymark@db.example.org/waymark
    waymark copy --from postgres://waymark@db.example.org/waymark --to sqlite:data`
}

func (c *copyCommand) Run(t *terminal) (err error) {
	ctx, stop := untilInterrupted(context.Background())
	defer stop()
	from, err := openLocation(ctx, c.From, store.Options{ReadOnly: true})
	if err != nil {
		return interrupted(ctx, fmt.Errorf("--from: %w", err))
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := openLocation(ctx, c.To, store.Options{})
	if err != nil {
		return interrupted(ctx, fmt.Errorf("--to: %w", err))
	}
	defer func() { err = errors.Join(err, to.Close()) }()

	p := newProgress(t.err, "rows")
	err = store.Copy(ctx, from, to, p.update)
	p.end()
	switch {
	case errors.Is(err, store.ErrNotEmpty):
		return fmt.Errorf("the target %s is not empty: nothing was changed", describeLocation(c.To))
	case errors.Is(err, store.ErrCopyUnknown):
		return fmt.Errorf("%w; when the target responds, run the command again: if it reports that the target is not empty, everything was copied", err)
	case errors.Is(err, store.ErrCopyInLog):
		return fmt.Errorf("%w; keep waymark.db-wal beside waymark.db, and free space on their disk before a server uses them", err)
	case err != nil && ctx.Err() != nil:
		return errors.New("interrupted: the target is unchanged, you can run the command again")
	case err != nil:
		return fmt.Errorf("%w; the target is unchanged", err)
	}
	fmt.Fprintf(t.err, "Copied %s. Totals match.\n", countOf(p.done, "row"))
	return nil
}

// openLocation opens the database at sqlite:DIR or a postgres:// URL. It locks a
// directory, so that no server can write to it.
func openLocation(ctx context.Context, location string, options store.Options) (*store.Store, error) {
	options.Serve, options.Database = true, location
	if dir, ok := strings.CutPrefix(location, "sqlite:"); ok {
		if dir == "" {
			return nil, usageError{errors.New("invalid location \"sqlite:\": add a directory, as in sqlite:data")}
		}
		options.Database, options.Dir = "", dir
	} else if !config.IsPostgresURL(location) {
		return nil, usageError{fmt.Errorf("invalid location %q: use sqlite:DIR or postgres://…", redact(location))}
	}
	return store.Open(ctx, options)
}

// redact returns a location that is not valid without the password that it may contain.
func redact(location string) string {
	u, err := url.Parse(location)
	if err != nil {
		return "…"
	}
	return u.Redacted()
}

// describeLocation returns a location without its password.
func describeLocation(location string) string {
	if strings.HasPrefix(location, "sqlite:") {
		return location
	}
	return describeStore(config.Store{Database: location})
}
