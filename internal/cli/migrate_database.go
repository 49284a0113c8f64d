package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"waymark/internal/config"
	"waymark/internal/database"
	"waymark/internal/store"
	"waymark/internal/store/doctor"
)

type migrateDatabase struct {
	From string `required:"" placeholder:"DATABASE" help:"Source: sqlite:DIR or postgres://…"`
	To   string `required:"" placeholder:"DATABASE" help:"Target, which must be empty: sqlite:DIR or postgres://…"`
}

func (*migrateDatabase) Help() string {
	return `Copies everything but revoked API keys and undo records; IDs and keys stay the same. The source is not
changed. Stop the server first. If the command fails, delete the target and run it again.

    waymark migrate database --from sqlite:data --to postgres://waymark@db.example.org/waymark
    waymark migrate database --from postgres://waymark@db.example.org/waymark --to sqlite:data`
}

func (c *migrateDatabase) Run(t *terminal) (err error) {
	ctx, stop := untilInterrupted(context.Background())
	defer stop()
	from, err := openLocation(ctx, c.From, store.Options{MustExist: true, Serve: true})
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) { // it cannot be locked, but read
		from, err = openLocation(ctx, c.From, store.Options{MustExist: true})
	}
	if err != nil {
		return interrupted(ctx, fmt.Errorf("--from: %w", err))
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := openLocation(ctx, c.To, store.Options{Serve: true})
	if err != nil {
		return interrupted(ctx, fmt.Errorf("--to: %w", err))
	}
	defer func() { err = errors.Join(err, to.Close()) }()

	p, rows := newProgress(t.err), 0
	err = doctor.MigrateDatabase(ctx, from, to, func(done, total int) {
		rows = done
		p.update(done, total, "rows")
	})
	p.end()
	switch {
	case errors.Is(err, doctor.ErrNotEmpty):
		return fmt.Errorf("the target %s is not empty: nothing was changed", describeLocation(c.To))
	case err != nil && ctx.Err() != nil:
		return errors.New("interrupted: delete the target and run the command again")
	case err != nil:
		return fmt.Errorf("%w; delete the target and run the command again", err)
	}
	fmt.Fprintf(t.err, "Copied %s. Totals match.\n", countOf(rows, "row"))
	return nil
}

// openLocation opens the database at sqlite:DIR or a postgres:// URL. With options.Serve it locks a directory, so that
// no server can write to it.
func openLocation(ctx context.Context, location string, options store.Options) (*database.DB, error) {
	options.Database = location
	if dir, ok := strings.CutPrefix(location, "sqlite:"); ok {
		if dir == "" {
			return nil, usageError{errors.New("invalid location \"sqlite:\": add a directory, as in sqlite:data")}
		}
		options.Database, options.Dir = "", dir
	} else if !config.IsPostgresURL(location) {
		return nil, usageError{fmt.Errorf("invalid location %q: use sqlite:DIR or postgres://…", location)}
	}
	return store.OpenDatabase(ctx, options)
}

// describeLocation returns a location without its password.
func describeLocation(location string) string {
	if strings.HasPrefix(location, "sqlite:") {
		return location
	}
	return describeStore(config.Store{Database: location})
}
