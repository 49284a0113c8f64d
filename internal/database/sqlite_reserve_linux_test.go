package database_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"waymark/internal/database"
	"waymark/internal/database/dbtest"
	"waymark/internal/waymark"
)

func TestDeletionsSucceedOnAFullDisk(t *testing.T) {
	disk := dbtest.SmallDisk(t, "24m")
	o := sqliteOptions(filepath.Join(disk, "data"))
	o.Exclusive, o.Reserve = true, 4<<20
	text := strings.Repeat("a text of some length, ", 700)
	db := dbtest.Open(t, o)
	for id := range int64(100) {
		mustWrite(t, db, insertText(id, text))
	}
	wantError(t, "empty the log", db.EmptyWAL(t.Context()), nil)
	other := dbtest.FillDisk(t, disk)

	wantError(t, "an insert", writeTx(t.Context(), db, insertText(1000, text)), waymark.ErrUnavailable)
	wantError(t, "ping", db.Ping(t.Context()), waymark.ErrUnavailable)
	remove := func(first, last int64) error {
		return db.DeleteTx(t.Context(), func(ctx context.Context, q database.Querier) error {
			_, err := q.Exec(ctx, "DELETE FROM texts WHERE id BETWEEN $1 AND $2", first, last)
			return err
		})
	}
	for id := range int64(50) {
		wantError(t, "a deletion", remove(id, id), nil)
	}
	wantError(t, "ping, still without space for others", db.Ping(t.Context()), waymark.ErrUnavailable)
	wantError(t, "a deletion of many", remove(50, 99), nil)
	wantIDs(t, db)
	// The freed pages take an insert, but the disk is still full.
	mustWrite(t, db, insertText(1000, text))
	wantError(t, "ping after a write that found space", db.Ping(t.Context()), waymark.ErrUnavailable)
	db.SetTestWriteInterval(0)
	wantError(t, "ping that tests a write", db.Ping(t.Context()), waymark.ErrUnavailable)
	wantError(t, "remove the insert", remove(1000, 1000), nil)

	wantError(t, "remove the other file", os.Remove(other), nil)
	mustWrite(t, db, insertText(1000, text))
	wantError(t, "ping with space again", db.Ping(t.Context()), nil)
	wantError(t, "empty the log", db.EmptyWAL(t.Context()), nil)
	if info, err := os.Stat(filepath.Join(o.Dir, "waymark.reserve")); err != nil || info.Size() != o.Reserve {
		t.Errorf("got %v (error %v), want a reserve of %d bytes again", info, err, o.Reserve)
	}
}

// SQLite rolls back the whole transaction when the disk is full, so a part of one cannot go on.
func TestPartOfATransactionOnAFullDisk(t *testing.T) {
	disk := dbtest.SmallDisk(t, "64m")
	o := sqliteOptions(filepath.Join(disk, "data"))
	o.Exclusive, o.Reserve = true, 16<<20
	db := dbtest.Open(t, o)
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

	inPart := func(tx func(context.Context, func(context.Context, database.Querier) error) error, text string) error {
		return tx(t.Context(), func(ctx context.Context, q database.Querier) error {
			err := db.Within(q).DeleteTx(ctx, func(ctx context.Context, q database.Querier) error {
				_, err := q.Exec(ctx, text)
				return err
			})
			if database.IsTooLargeForDisk(err) {
				t.Errorf("%s: the error %v says that a smaller change may succeed in the same transaction", text, err)
			}
			return err
		})
	}
	wantError(t, "an update", inPart(db.WriteTx, "UPDATE texts SET text = text || '.'"), waymark.ErrUnavailable)
	wantError(t, "ping", db.Ping(t.Context()), waymark.ErrUnavailable)
	wantError(t, "a deletion", inPart(db.DeleteTx, "DELETE FROM texts"), nil)
	wantIDs(t, db)
}

func TestDeletionsUseTheWholeReserve(t *testing.T) {
	disk := dbtest.SmallDisk(t, "24m")
	o := sqliteOptions(filepath.Join(disk, "data"))
	o.Exclusive, o.Reserve = true, 8<<20
	db := dbtest.Open(t, o)
	text := strings.Repeat("a text of some length, ", 700)
	for id := range int64(300) {
		mustWrite(t, db, insertText(id, text))
	}
	wantError(t, "empty the log", db.EmptyWAL(t.Context()), nil)
	dbtest.FillDisk(t, disk)
	wantError(t, "a deletion of 5 MB", db.DeleteTx(t.Context(), func(ctx context.Context, q database.Querier) error {
		_, err := q.Exec(ctx, "DELETE FROM texts")
		return err
	}), nil)
	wantIDs(t, db)
}

// A write for which the disk is too full does not change what EmptyWAL returns.
func TestLogInUseIsNotEmptiedOnAFullDisk(t *testing.T) {
	disk := dbtest.SmallDisk(t, "24m")
	o := sqliteOptions(filepath.Join(disk, "data"))
	o.Exclusive = true
	db := dbtest.Open(t, o)
	mustWrite(t, db, insert(1))
	reading, release, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- db.ReadTx(t.Context(), 0, func(q database.Querier) error {
			_, err := database.QueryOne(t.Context(), q, database.ScanValue[int64], "SELECT count(*) FROM texts")
			close(reading)
			<-release
			return err
		})
	}()
	<-reading
	h := holdWriter(t, db)
	dbtest.FillDisk(t, disk)
	large := h.queue(t.Context(), insertText(2, strings.Repeat("a text of some length, ", 700)))
	emptied := make(chan error, 1)
	go func() { emptied <- db.EmptyWAL(t.Context()) }()
	for h.Stats().WriteQueue < 2 {
		runtime.Gosched()
	}
	h.release()
	wantError(t, "a write", <-large, waymark.ErrUnavailable)
	wantError(t, "empty the log", <-emptied, waymark.ErrUnavailable)
	close(release)
	wantError(t, "the read", <-ended, nil)
}

// A server whose disk became full can be started again.
func TestDatabaseOpensOnAFullDisk(t *testing.T) {
	disk := dbtest.SmallDisk(t, "24m")
	o := sqliteOptions(filepath.Join(disk, "data"))
	o.Exclusive, o.Reserve = true, 4<<20
	db, err := database.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	mustWrite(t, db, insert(1))
	wantError(t, "close", db.Close(), nil)
	dbtest.FillDisk(t, disk)
	wantIDs(t, dbtest.Open(t, o), 1)
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
