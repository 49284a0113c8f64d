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
	seed(b, store.Options{Dir: unfinished}, plan)
	if err := os.Rename(unfinished, dir); err != nil {
		b.Fatal(err)
	}
	return dir
}

// seed generates the collection of a plan in an empty database.
func seed(b testing.TB, options store.Options, plan Plan) {
	b.Helper()
	var err error
	if plan.Corpus, err = ReadCorpus(os.Getenv(wordsVariable)); err != nil {
		b.Fatal(err)
	}
	since := time.Now()
	if _, err := Seed(b.Context(), options, plan, func(int) {}); err != nil {
		b.Fatal(err)
	}
	b.Logf("generated %d links in %s", plan.Links, time.Since(since).Round(time.Second/10))
}

// copyInPostgres copies the database of the original collection. The original is
// generated if the server does not have it yet.
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
		database := u.JoinPath("..", unfinished).String()
		seed(b, store.Options{Database: database}, plan)
		seeded, err := sql.Open("pgx", database)
		if err != nil {
			b.Fatal(err)
		}
		execute(b, seeded, "VACUUM (ANALYZE)") // as autovacuum would do later
		if err := seeded.Close(); err != nil {
			b.Fatal(err)
		}
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
