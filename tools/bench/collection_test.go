package bench

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"waymark/internal/store"
)

// copyOf returns a copy of the collection with so many made-up links, which is made
// where it is not kept from another time.
func copyOf(b *testing.B, links int) collection {
	b.Helper()
	if server := os.Getenv(databaseVariable); server != "" {
		return copyInPostgres(b, server, links)
	}
	dir, err := os.MkdirTemp(scratch, "copy-")
	if err != nil {
		b.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(kept(b, links))); err != nil {
		b.Fatal(err)
	}
	return collection{links: links, options: store.Options{Dir: dir}, drop: func() error { return os.RemoveAll(dir) }}
}

// kept returns the folder of a collection that nobody changes.
func kept(b *testing.B, links int) string {
	b.Helper()
	keep := os.Getenv(keepVariable)
	if keep == "" {
		keep = scratch
	}
	made := filepath.Join(keep, "links-"+strconv.Itoa(links))
	if _, err := os.Stat(made); !errors.Is(err, fs.ErrNotExist) {
		return made
	}
	unfinished := made + ".part"
	if err := os.RemoveAll(unfinished); err != nil {
		b.Fatal(err)
	}
	corpus, err := ReadCorpus(os.Getenv(wordsVariable))
	if err != nil {
		b.Fatal(err)
	}
	since := time.Now()
	if _, err := Seed(b.Context(), store.Options{Dir: unfinished}, NewPlan(links, corpus), func(int) {}); err != nil {
		b.Fatal(err)
	}
	b.Logf("made %d links in %s", links, time.Since(since).Round(time.Second/10))
	if err := os.Rename(unfinished, made); err != nil {
		b.Fatal(err)
	}
	return made
}

// copyInPostgres copies a database that holds what the folder holds.
func copyInPostgres(b *testing.B, server string, links int) collection {
	b.Helper()
	at, err := url.Parse(server)
	if err != nil {
		b.Fatal(err)
	}
	db, err := sql.Open("pgx", server)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() }) //nolint:errcheck // nothing is lost with it
	made := "waymark_links_" + strconv.Itoa(links)
	var there bool
	if err := db.QueryRowContext(b.Context(), "SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)", made).Scan(&there); err != nil {
		b.Fatal(err)
	}
	if !there {
		unfinished := made + "_part"
		execute(b, db, "DROP DATABASE IF EXISTS "+unfinished+" WITH (FORCE)", "CREATE DATABASE "+unfinished)
		moveInto(b, kept(b, links), at.JoinPath("..", unfinished).String())
		execute(b, db, "ALTER DATABASE "+unfinished+" RENAME TO "+made)
	}
	name := "waymark_copy_" + strconv.Itoa(links)
	execute(b, db, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)", "CREATE DATABASE "+name+" TEMPLATE "+made+" STRATEGY file_copy")
	return collection{
		links:   links,
		options: store.Options{Database: at.JoinPath("..", name).String()},
		drop: func() error {
			db, err := sql.Open("pgx", server)
			if err != nil {
				return err
			}
			_, err = db.ExecContext(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)")
			return errors.Join(err, db.Close())
		},
	}
}

func execute(b *testing.B, db *sql.DB, statements ...string) {
	b.Helper()
	for _, statement := range statements {
		if _, err := db.ExecContext(b.Context(), statement); err != nil {
			b.Fatalf("%s: %v", statement, err)
		}
	}
}

// moveInto moves a collection into an empty database.
func moveInto(b *testing.B, dir, database string) {
	b.Helper()
	since, rows := time.Now(), 0
	if err := func() (err error) {
		from, err := store.Open(b.Context(), store.Options{Dir: dir, Serve: true})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, from.Close()) }()
		to, err := store.Open(b.Context(), store.Options{Database: database, Serve: true})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, to.Close()) }()
		return store.Copy(b.Context(), from, to, func(done, _ int) { rows = done })
	}(); err != nil {
		b.Fatal(err)
	}
	db, err := sql.Open("pgx", database)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()                   //nolint:errcheck // nothing is lost with it
	execute(b, db, "VACUUM (ANALYZE)") // which the server would get round to
	fmt.Fprintf(os.Stderr, "moved %d rows to PostgreSQL in %s\n", rows, time.Since(since).Round(time.Second/10))
}
