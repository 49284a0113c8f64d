package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"waymark/internal/store"
)

type moveCommand struct {
	From string `required:"" placeholder:"PLACE" help:"Where everything is: sqlite:DIR or postgres://…"`
	To   string `required:"" placeholder:"PLACE" help:"Where it goes, which must be empty: sqlite:DIR or postgres://…"`
}

// Help is what kong shows beneath the command's summary.
func (*moveCommand) Help() string {
	return `Copies users, keys, links, lists, tags, notes and the trash, with their ids, so that every
program goes on with the key it has. What it copies from stays as it is. Stop the server first:
what is saved after the beginning is not copied. It happens whole or not at all: where it is broken
off, the target is as empty as before, and you start again.

    waymark move --from sqlite:data --to postgres://waymark@db.example.org/waymark
    waymark move --from postgres://waymark@db.example.org/waymark --to sqlite:data`
}

func (c *moveCommand) Run(t *terminal) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	from, err := openPlace(ctx, c.From)
	if err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := openPlace(ctx, c.To)
	if err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	defer func() { err = errors.Join(err, to.Close()) }()

	bar := &progressBar{to: t.err}
	err = store.Copy(ctx, from, to, bar.show)
	bar.end()
	switch {
	case errors.Is(err, store.ErrNotEmpty):
		return errors.New("there is something in the target already: choose an empty place; nothing was changed")
	case ctx.Err() != nil:
		return errors.New("broken off: the target is as empty as before; start again when you like")
	case err != nil:
		return fmt.Errorf("%w; the target is as empty as before", err)
	}
	fmt.Fprintf(t.err, "All %d rows have arrived, and both places have the same totals.\n", bar.done)
	return nil
}

// openPlace opens what sqlite:DIR or a postgres:// URL names. A folder is held
// against servers meanwhile.
func openPlace(ctx context.Context, place string) (*store.Store, error) {
	options := store.Options{Serve: true, Database: place}
	if dir, ok := strings.CutPrefix(place, "sqlite:"); ok {
		if dir == "" {
			return nil, usageError{errors.New("sqlite: needs a folder behind it, as in sqlite:data")}
		}
		options.Database, options.Dir = "", dir
	} else if !strings.HasPrefix(place, "postgres://") && !strings.HasPrefix(place, "postgresql://") {
		return nil, usageError{errors.New("this is no place: write sqlite:DIR or postgres://…")}
	}
	return store.Open(ctx, options)
}

// progressBar shows on one line how far a long command is.
type progressBar struct {
	to    io.Writer
	done  int
	shown time.Time
}

func (b *progressBar) show(done, all int) {
	b.done = done
	if done < all && time.Since(b.shown) < 100*time.Millisecond {
		return
	}
	b.shown = time.Now()
	const width = 40
	full := width
	if all > 0 {
		full = width * done / all
	}
	fmt.Fprintf(b.to, "\r[%s%s] %d of %d rows", strings.Repeat("#", full), strings.Repeat(".", width-full), done, all)
}

// end leaves the bar's line.
func (b *progressBar) end() {
	if !b.shown.IsZero() {
		fmt.Fprintln(b.to)
	}
}
