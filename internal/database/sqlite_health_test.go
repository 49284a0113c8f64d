package database_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waymark/internal/database"
	"waymark/internal/database/dbtest"
	"waymark/internal/waymark"
)

func TestChangeOfWhetherTheDatabaseCanBeWrittenIsLogged(t *testing.T) {
	o := sqliteOptions(t.TempDir())
	var log bytes.Buffer
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	db := dbtest.Open(t, o)
	setMaxPages := func(n int64) {
		mustWrite(t, db, func(exec exec) error { return exec(fmt.Sprint("PRAGMA max_page_count = ", n)) })
	}
	setMaxPages(1) // that is, as many as there are
	text := strings.Repeat("a long text, ", 10_000)
	for range 2 {
		wantError(t, "a write without space", writeTx(t.Context(), db, insertText(1, text)), waymark.ErrUnavailable)
	}
	setMaxPages(1_000_000)
	mustWrite(t, db, insertText(1, text))
	mustWrite(t, db, insertText(2, text))
	for _, message := range []string{"the database cannot be written", "the database can be written again"} {
		if strings.Count(log.String(), message) != 1 {
			t.Errorf("the log has %q %d times, want once:\n%s", message, strings.Count(log.String(), message), &log)
		}
	}
}

func TestPingTestsWriting(t *testing.T) {
	o := sqliteOptions(t.TempDir())
	db := dbtest.Open(t, o)
	db.SetBusyTimeout(20 * time.Millisecond)
	wantError(t, "ping", db.Ping(t.Context()), nil)
	other := holdWriter(t, dbtest.Open(t, o)) // as another process does
	db.ForgetLastWrite()
	wantError(t, "ping while another process locks the database", db.Ping(t.Context()), waymark.ErrUnavailable)
	other.release()
	wantError(t, "the other write", <-other.first, nil)
	db.ForgetLastWrite()
	wantError(t, "ping after it", db.Ping(t.Context()), nil)
	wantIDs(t, db, -1)
}

// A new read connection would create an empty file at the path.
func TestADeletedFileIsNotCreatedAgain(t *testing.T) {
	o := sqliteOptions(t.TempDir())
	db := dbtest.Open(t, o)
	mustWrite(t, db, insert(1))
	wantIDs(t, db, 1)
	file := filepath.Join(o.Dir, "waymark.db")
	wantError(t, "delete the file", os.Remove(file), nil)
	err := db.ReadTx(t.Context(), func(q database.Querier) error { // on the connection that is open already
		ids, err := queryIDs(t.Context(), q)
		wantSame(t, "rows", ids, []int64{1})
		wantError(t, "a read on a new connection", db.ReadTx(t.Context(), func(database.Querier) error { return nil }), waymark.ErrUnavailable)
		return err
	})
	wantError(t, "a read", err, nil)
	_, err = os.Stat(file)
	wantError(t, "the file", err, fs.ErrNotExist)
}

// SQLite would go on writing to the deleted file.
func TestNothingIsWrittenToADeletedFile(t *testing.T) {
	o := sqliteOptions(t.TempDir())
	db := dbtest.Open(t, o)
	mustWrite(t, db, insert(1))
	file := filepath.Join(o.Dir, "waymark.db")
	wantError(t, "delete the file", os.Remove(file), nil)
	wantError(t, "a write without the file", writeTx(t.Context(), db, insert(2)), waymark.ErrUnavailable)
	wantError(t, "ping without the file", db.Ping(t.Context()), waymark.ErrUnavailable)
	wantError(t, "create another file", os.WriteFile(file, nil, 0o600), nil)
	wantError(t, "a write with another file", writeTx(t.Context(), db, insert(2)), waymark.ErrUnavailable)
}

// Writes that wait, such as a large import, do not make the database unavailable.
func TestPingDoesNotWaitForWrites(t *testing.T) {
	db := openSQLite(t)
	h := holdWriter(t, db)
	wantError(t, "ping during a write", db.Ping(t.Context()), nil)
	h.release()
	wantError(t, "the write", <-h.first, nil)
}

// damagedDatabase creates a database in which pages are overwritten with garbage.
func damagedDatabase(t *testing.T) database.Options {
	t.Helper()
	o := sqliteOptions(t.TempDir())
	db, err := database.Open(t.Context(), o)
	check(t, err)
	for id := range int64(50) {
		mustWrite(t, db, insertText(id, strings.Repeat("a text ", 400)))
	}
	check(t, db.Close())
	name := filepath.Join(o.Dir, "waymark.db")
	content, err := os.ReadFile(name)
	check(t, err)
	for i := len(content) / 2; i < len(content)*3/4; i++ {
		content[i] = 0xA5
	}
	check(t, os.WriteFile(name, content, 0o600))
	return o
}

func TestDamageIsNoticedByStatements(t *testing.T) {
	o := damagedDatabase(t)
	var log bytes.Buffer
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	db := dbtest.Open(t, o)
	wantError(t, "ping before", db.Ping(t.Context()), nil)
	for range 2 {
		if _, err := database.QueryAll(t.Context(), db.Querier(), database.ScanValue[string], "SELECT text FROM texts"); err == nil {
			t.Error("got no error from a query that reads the damaged pages")
		}
	}
	wantError(t, "ping after", db.Ping(t.Context()), waymark.ErrUnavailable)
	if n := strings.Count(log.String(), "the database file is damaged"); n != 1 || !strings.Contains(log.String(), "restore a backup") {
		t.Errorf("the log reports the damage %d times, want once, with what to do:\n%s", n, &log)
	}
}

func TestDamageIsListedLineByLine(t *testing.T) {
	db := dbtest.Open(t, damagedDatabase(t))
	found, err := db.CheckIntegrity(t.Context())
	check(t, err)
	if all := strings.Join(found, ""); len(found) < 2 || strings.Contains(all, "\n") || strings.Contains(all, "***") {
		t.Errorf("got the damage %q, want a line each, without a heading", found)
	}
}
