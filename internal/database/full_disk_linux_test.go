package database_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waymark/internal/database"
	"waymark/internal/database/dbtest"
	"waymark/internal/waymark"
)

// A full disk fails writes with an error, and nothing that was acknowledged is lost. When there is
// space again, writes succeed without a restart.
func TestWritesSucceedWhenAFullDiskHasSpaceAgain(t *testing.T) {
	disk := dbtest.SmallDisk(t, "24m")
	o := sqliteOptions(filepath.Join(disk, "data"))
	db := dbtest.Open(t, o)
	mustWrite(t, db, insert(1))
	wantError(t, "empty the log", db.EmptyWAL(t.Context()), nil)
	other := dbtest.FillDisk(t, disk)
	text := strings.Repeat("a text of some length, ", 700)
	err := writeTx(t.Context(), db, insertText(2, text))
	wantError(t, "an insert", err, waymark.ErrUnavailable)
	if !database.IsDiskFull(err) {
		t.Errorf("got error %v, want that the disk is full", err)
	}
	wantError(t, "ping", db.Ping(t.Context()), waymark.ErrUnavailable)
	wantError(t, "remove the other file", os.Remove(other), nil)
	mustWrite(t, db, insertText(3, text))
	wantError(t, "ping with space again", db.Ping(t.Context()), nil)
	wantIDs(t, db, 1, 3)
}

// SQLite rolls back the whole transaction when the disk is full, so a part of one cannot go on.
func TestPartOfATransactionOnAFullDisk(t *testing.T) {
	disk := dbtest.SmallDisk(t, "64m")
	db := dbtest.Open(t, sqliteOptions(filepath.Join(disk, "data")))
	text := strings.Repeat("a text of some length, ", 700)
	mustWrite(t, db, func(exec exec) error { // more than the page cache, so that it is written before the COMMIT
		for id := range int64(600) {
			if err := insertText(id, text)(exec); err != nil {
				return err
			}
		}
		return nil
	})
	wantError(t, "empty the log", db.EmptyWAL(t.Context()), nil)
	dbtest.FillDisk(t, disk)
	err := db.WriteTx(t.Context(), func(ctx context.Context, q database.Querier) error {
		return db.Within(q).WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
			_, err := q.Exec(ctx, "UPDATE texts SET text = text || '.'")
			return err
		})
	})
	wantError(t, "an update", err, waymark.ErrUnavailable)
	wantError(t, "ping", db.Ping(t.Context()), waymark.ErrUnavailable)
}

func TestOpenOnAFullDiskSaysSo(t *testing.T) {
	for name, filled := range map[string]bool{"no database": false, "a database": true} {
		t.Run(name, func(t *testing.T) {
			disk := dbtest.SmallDisk(t, "1m")
			o := sqliteOptions(disk)
			if filled {
				db, err := database.Open(t.Context(), o)
				if err == nil {
					err = db.Close()
				}
				wantError(t, "create the database", err, nil)
			}
			dbtest.FillDisk(t, disk)
			o.Exclusive = true
			db, err := database.Open(t.Context(), o)
			if err == nil {
				t.Fatalf("got no error (close: %v)", db.Close())
			}
			if want := "free space on its disk"; !strings.Contains(err.Error(), want) {
				t.Errorf("got error %v, want %q", err, want)
			}
		})
	}
}
