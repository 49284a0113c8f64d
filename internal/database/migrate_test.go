package database_test

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gofrs/flock"

	"waymark/internal/database"
	"waymark/internal/database/dbtest"
)

// migrationsAt returns migrations of both databases: the one of schema with a number, and a later one.
func migrationsAt(first int, laterText string) fstest.MapFS {
	files := fstest.MapFS{}
	for _, kind := range []string{"sqlite", "postgres"} {
		files[fmt.Sprintf("%s/%05d_test.sql", kind, first)] = schema[kind+"/00001_test.sql"]
		files[fmt.Sprintf("%s/%05d_later.sql", kind, first+1)] = &fstest.MapFile{Data: []byte(laterText)}
	}
	return files
}

func TestSchemaOfADevelopmentVersionIsRefused(t *testing.T) {
	eachOptions(t, func(t *testing.T, o database.Options) {
		mustWrite(t, dbtest.Open(t, o), insert(1))
		newer := o
		newer.Migrations = migrationsAt(1, "DROP TABLE texts;")
		edited := newer.Migrations.(fstest.MapFS)
		for name, file := range schema {
			edited[name] = &fstest.MapFile{Data: append([]byte("CREATE TABLE more (id BIGINT);"), file.Data...)}
		}
		for _, migrations := range []fs.FS{edited, migrationsAt(101, "DROP TABLE texts;")} {
			newer.Migrations = migrations
			_, err := database.Open(t.Context(), newer)
			if err == nil || !strings.HasPrefix(err.Error(), "the database was created by a development version of Waymark") || !strings.Contains(err.Error(), "waymark export --format archive") {
				t.Errorf("got error %v, want the version and what to do", err)
			}
		}
		wantIDs(t, dbtest.Open(t, o), 1)
	})
}

func TestSchemaThatWasChangedIsRefused(t *testing.T) {
	eachOptions(t, func(t *testing.T, o database.Options) {
		db := dbtest.Open(t, o)
		for _, test := range []struct{ change, undo, want string }{
			{"ALTER TABLE texts ADD COLUMN more TEXT", "ALTER TABLE texts DROP COLUMN more", "table texts is another one."},
			{"CREATE INDEX mine ON texts (text)", "DROP INDEX mine", "index mine was added."},
			{"CREATE TABLE others (id BIGINT)", "DROP TABLE others", ""}, // it may belong to another program
		} {
			mustWrite(t, db, func(exec exec) error { return exec(test.change) })
			other, err := database.Open(t.Context(), o)
			switch {
			case test.want == "" && err != nil, test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("%s: got error %v, want %q", test.change, err, test.want)
			case err == nil:
				check(t, other.Close())
			}
			mustWrite(t, db, func(exec exec) error { return exec(test.undo) })
			check(t, dbtest.Open(t, o).Close())
		}
	})
}

func TestLaterMigrationIsAppliedToTheData(t *testing.T) {
	eachOptions(t, func(t *testing.T, o database.Options) {
		mustWrite(t, dbtest.Open(t, o), insert(1))
		o.Migrations = migrationsAt(1, "ALTER TABLE texts ADD COLUMN later TEXT NOT NULL DEFAULT 'new';")
		db := dbtest.Open(t, o)
		if got := queryValue[string](t, db.Querier(), "SELECT later FROM texts WHERE id = 1"); got != "new" {
			t.Errorf("got %q in the new column, want new", got)
		}
		if got := queryValue[int64](t, db.Querier(), "SELECT version FROM waymark_schema"); got != 2 {
			t.Errorf("got schema %d, want 2", got)
		}
	})
}

func TestDatabaseOfAnotherProgramIsExplained(t *testing.T) {
	eachOptions(t, func(t *testing.T, o database.Options) {
		db := dbtest.Open(t, o)
		mustWrite(t, db, func(exec exec) error { return exec("DROP TABLE waymark_schema") })
		_, err := database.Open(t.Context(), o)
		if err == nil || !strings.HasSuffix(err.Error(), "If it has tables of another program, use an empty one") && !strings.Contains(err.Error(), "is a database of another program") {
			t.Errorf("got error %v, want what it is", err)
		}
	})
}

func TestMissingDatabaseIsNotCreated(t *testing.T) {
	eachOptions(t, func(t *testing.T, o database.Options) {
		missing := o
		missing.MustExist = true
		db, err := database.Open(t.Context(), missing)
		if err == nil {
			t.Fatalf("got no error (close: %v)", db.Close())
		}
		if !strings.HasPrefix(err.Error(), "there is no Waymark database in ") || !strings.Contains(err.Error(), o.Dir) {
			t.Errorf("got error %v, want the place", err)
		}
		mustWrite(t, dbtest.Open(t, o), insert(1))
		wantIDs(t, dbtest.Open(t, missing), 1)
	})
}

func TestProcessesThatStartTogetherMigrateOnce(t *testing.T) {
	eachOptions(t, func(t *testing.T, o database.Options) {
		var processes sync.WaitGroup
		for i := range int64(5) {
			processes.Go(func() {
				db, err := database.Open(t.Context(), o)
				if err != nil {
					t.Error(err)
					return
				}
				if err := writeTx(t.Context(), db, insert(i)); err != nil {
					t.Error(err)
				}
				if err := db.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		processes.Wait()
		wantIDs(t, dbtest.Open(t, o), 0, 1, 2, 3, 4)
	})
}

// Behind a pooler, a server may get a single connection.
func TestMigrationNeedsOneConnection(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	db, err := database.Open(ctx, database.Options{URL: dbtest.PostgresURL(t), Connections: 1, Migrations: schema})
	check(t, err)
	mustWrite(t, db, insert(1))
	wantIDs(t, db, 1)
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// messages is a slog.Handler that sends the messages of its records.
type messages chan string

func (messages) Enabled(context.Context, slog.Level) bool { return true }
func (m messages) WithAttrs([]slog.Attr) slog.Handler     { return m }
func (m messages) WithGroup(string) slog.Handler          { return m }

func (m messages) Handle(_ context.Context, r slog.Record) error {
	m <- r.Message
	return nil
}

func TestOpenWaitsForAMigration(t *testing.T) {
	for _, exclusive := range []bool{false, true} {
		o := sqliteOptions(t.TempDir())
		o.Exclusive = exclusive
		log := make(messages, 100)
		o.Log = slog.New(log)
		// The locks of a process that migrates the database.
		opening := flock.New(filepath.Join(o.Dir, "waymark.open.lock"))
		migrating := flock.New(filepath.Join(o.Dir, "waymark.lock"))
		for _, lock := range []*flock.Flock{opening, migrating} {
			if ok, err := lock.TryLock(); err != nil || !ok {
				t.Fatalf("%t, %v", ok, err)
			}
		}
		opened := make(chan error)
		go func() {
			db, err := database.Open(t.Context(), o)
			if err == nil {
				err = db.Close()
			}
			opened <- err
		}()
		if got := <-log; !strings.Contains(got, "waiting for another process") {
			t.Errorf("got log message %q, want that it waits", got)
		}
		for _, lock := range []*flock.Flock{migrating, opening} {
			check(t, lock.Unlock())
		}
		wantError(t, "open", <-opened, nil)
	}
}

func TestMigrationUnderAServerIsRefused(t *testing.T) {
	t.Parallel() // it waits for the lock
	server := sqliteOptions(t.TempDir())
	server.Exclusive = true
	db := dbtest.Open(t, server)
	command := sqliteOptions(server.Dir)
	command.Migrations = migrationsAt(1, "DROP TABLE texts;")
	_, err := database.Open(t.Context(), command)
	if err == nil || !strings.Contains(err.Error(), "must be migrated, but a Waymark server is using it") || !strings.Contains(err.Error(), server.Dir) {
		t.Errorf("got error %v, want the directory and the reason", err)
	}
	mustWrite(t, db, insert(1))
	wantIDs(t, db, 1)
}

func TestFailedMigrationChangesNothing(t *testing.T) {
	eachOptions(t, func(t *testing.T, o database.Options) {
		broken := o
		broken.Migrations = fstest.MapFS{}
		for name, file := range schema {
			broken.Migrations.(fstest.MapFS)[name] = &fstest.MapFile{Data: append(file.Data, "\nSELECT * FROM missing;"...)}
		}
		_, err := database.Open(t.Context(), broken)
		if err == nil || !strings.HasPrefix(err.Error(), "migrate the database: ") {
			t.Errorf("got error %v, want that of the migration", err)
		}
		wantIDs(t, dbtest.Open(t, o))
	})
}
