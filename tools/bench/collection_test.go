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
	"testing"
	"time"

	"waymark/internal/store"
	"waymark/internal/store/doctor"
)

// copyOf returns a copy of the collection that the plan generates. The original is
// generated unless an earlier run has kept it.
func copyOf(b testing.TB, plan Plan) collection {
	b.Helper()
	if server := os.Getenv(databaseVariable); server != "" {
		return copyInPostgres(b, server, plan)
	}
	dir, err := os.MkdirTemp(scratch, "copy-")
	if err != nil {
		b.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(generated(b, plan))); err != nil {
		b.Fatal(err)
	}
	return collection{links: plan.Links, options: store.Options{Dir: dir}, drop: func() error { return os.RemoveAll(dir) }}
}

// nameOf names a plan in file and database names.
func nameOf(plan Plan) string {
	name := fmt.Sprintf("links_%d", plan.Links)
	if plan.Separate {
		name += fmt.Sprintf("_users_%d", plan.Users)
	}
	return name
}

// generated returns the data folder of the original collection, which no benchmark
// changes.
func generated(b testing.TB, plan Plan) string {
	b.Helper()
	parent := os.Getenv(keepVariable)
	if parent == "" {
		parent = scratch
	}
	dir := filepath.Join(parent, nameOf(plan))
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return dir
	}
	unfinished := dir + ".part"
	if err := os.RemoveAll(unfinished); err != nil {
		b.Fatal(err)
	}
	var err error
	if plan.Corpus, err = ReadCorpus(os.Getenv(wordsVariable)); err != nil {
		b.Fatal(err)
	}
	since := time.Now()
	if _, err := Seed(b.Context(), store.Options{Dir: unfinished}, plan, func(int) {}); err != nil {
		b.Fatal(err)
	}
	b.Logf("generated %d links in %s", plan.Links, time.Since(since).Round(time.Second/10))
	if err := os.Rename(unfinished, dir); err != nil {
		b.Fatal(err)
	}
	return dir
}

// copyInPostgres copies the database of the original collection. The original is
// copied from SQLite if the server does not have it yet.
func copyInPostgres(b testing.TB, server string, plan Plan) collection {
	b.Helper()
	u, err := url.Parse(server)
	if err != nil {
		b.Fatal(err)
	}
	db, err := sql.Open("pgx", server)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() }) //nolint:errcheck // all statements are complete
	original := "waymark_" + nameOf(plan)
	var exists bool
	if err := db.QueryRowContext(b.Context(), "SELECT EXISTS (SELECT 1 FROM pg_database WHERE datname = $1)", original).Scan(&exists); err != nil {
		b.Fatal(err)
	}
	if !exists {
		unfinished := original + "_part"
		execute(b, db, "DROP DATABASE IF EXISTS "+unfinished+" WITH (FORCE)", "CREATE DATABASE "+unfinished)
		copyToPostgres(b, generated(b, plan), u.JoinPath("..", unfinished).String())
		execute(b, db, "ALTER DATABASE "+unfinished+" RENAME TO "+original)
	}
	name := original + "_copy"
	execute(b, db, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)", "CREATE DATABASE "+name+" TEMPLATE "+original+" STRATEGY file_copy")
	return collection{
		links:   plan.Links,
		options: store.Options{Database: u.JoinPath("..", name).String()},
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

func execute(b testing.TB, db *sql.DB, statements ...string) {
	b.Helper()
	for _, statement := range statements {
		if _, err := db.ExecContext(b.Context(), statement); err != nil {
			b.Fatalf("%s: %v", statement, err)
		}
	}
}

// copyToPostgres copies a collection from a data folder to an empty database.
func copyToPostgres(b testing.TB, dir, database string) {
	b.Helper()
	since, rows := time.Now(), 0
	if err := func() (err error) {
		from, err := store.OpenDatabase(b.Context(), store.Options{Dir: dir, Serve: true})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, from.Close()) }()
		to, err := store.OpenDatabase(b.Context(), store.Options{Database: database, Serve: true})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, to.Close()) }()
		return doctor.MigrateDatabase(b.Context(), from, to, func(done, _ int) { rows = done })
	}(); err != nil {
		b.Fatal(err)
	}
	db, err := sql.Open("pgx", database)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()                   //nolint:errcheck // all statements are complete
	execute(b, db, "VACUUM (ANALYZE)") // as autovacuum would do later
	fmt.Fprintf(os.Stderr, "copied %d rows to PostgreSQL in %s\n", rows, time.Since(since).Round(time.Second/10))
}
