package database_test

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"waymark/internal/database"
	"waymark/internal/database/dbtest"
	"waymark/internal/waymark"
)

// holdPermits starts n operations of a user that run until release is called.
func holdPermits(t *testing.T, n int, user int64, run func(context.Context, int64, func() error) error) (release func()) {
	t.Helper()
	started, proceed, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	for range n {
		go func() {
			ended <- run(t.Context(), user, func() error {
				started <- struct{}{}
				<-proceed
				return nil
			})
		}()
		<-started
	}
	return func() {
		close(proceed)
		for range n {
			wantError(t, "an operation with a permit", <-ended, nil)
		}
	}
}

func TestUserHasAShareOfThePermits(t *testing.T) {
	o := sqliteOptions(t.TempDir())
	db := dbtest.Open(t, o)
	nothing := func() error { return nil }
	release := holdPermits(t, 4, 1, db.Stream)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	var waiting sync.WaitGroup
	for range 100 {
		waiting.Go(func() { wantError(t, "a stream above the share", db.Stream(ctx, 1, nothing), waymark.ErrBusy) })
	}
	wantError(t, "a stream of another user", db.Stream(t.Context(), 2, nothing), nil)
	waiting.Wait()
	release()
	wantError(t, "a stream after the others", db.Stream(t.Context(), 1, nothing), nil)
}

func TestLongReadSeesItsSnapshotUntilItsEnd(t *testing.T) {
	each(t, func(t *testing.T, db *database.DB) {
		fill(t, db, 10)
		if err := db.LongReadTx(t.Context(), 1, func(ctx context.Context, q database.Querier) error {
			before, err := queryIDs(ctx, q)
			if err != nil {
				return err
			}
			mustWrite(t, db, insert(11))
			after, err := queryIDs(ctx, q)
			wantSame(t, "ids after a write", after, before)
			return err
		}); err != nil {
			t.Error(err)
		}
	})
}

func TestShortReadsDoNotWaitForSearches(t *testing.T) {
	eachOptions(t, func(t *testing.T, o database.Options) {
		o.Connections = 13
		db := dbtest.Open(t, o)
		var release []func()
		for user := range int64(min(3, runtime.GOMAXPROCS(0))) {
			release = append(release, holdPermits(t, 1, user, db.Search))
		}
		nothing := func() error { return nil }
		count := func(q database.Querier) error {
			_, err := database.QueryOne(t.Context(), q, database.ScanValue[int64], "SELECT count(*) FROM texts")
			return err
		}
		wantError(t, "a query", count(db.Querier()), nil)
		wantError(t, "a read transaction", db.ReadTx(t.Context(), count), nil)
		wantError(t, "a stream", db.Stream(t.Context(), 1, nothing), nil)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		wantError(t, "a search without a permit", db.Search(ctx, 4, nothing), waymark.ErrBusy)
		for _, end := range release {
			end()
		}
		wantError(t, "a search with a permit", db.Search(t.Context(), 4, nothing), nil)
	})
}

// writeBytes inserts texts of about that size in total, each in a commit of its own.
func writeBytes(t *testing.T, db *database.DB, bytes int) {
	t.Helper()
	text := strings.Repeat("a text of some length, ", 2000)
	for range bytes / len(text) {
		mustWrite(t, db, func(exec exec) error { return exec("INSERT INTO texts (text) VALUES ($1)", text) })
	}
}

func TestWALStaysShortDuringConstantReads(t *testing.T) {
	db := openSQLite(t)
	check(t, db.SetCheckpointLimits(t.Context(), 256<<10, 1<<20, time.Minute))
	// snapshot reads until end is called.
	snapshot := func() (end func() error) {
		started, proceed, result := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		go func() {
			result <- db.ReadTx(t.Context(), func(q database.Querier) error {
				_, err := database.QueryOne(t.Context(), q, database.ScanValue[int64], "SELECT count(*) FROM texts")
				close(started)
				<-proceed
				return err
			})
		}()
		<-started
		return func() error {
			close(proceed)
			return <-result
		}
	}
	stop, stopped := make(chan struct{}), make(chan error)
	go func() {
		stopped <- func() error {
			for end := snapshot(); ; {
				next := snapshot() // starts before the other one ends
				if err := end(); err != nil {
					next() //nolint:errcheck // the first error counts
					return err
				}
				end = next
				select {
				case <-stop:
					return end()
				default:
				}
			}
		}()
	}()
	var longest int64
	for range 8 {
		writeBytes(t, db, 1<<19)
		longest = max(longest, db.WALBytes())
	}
	close(stop)
	wantError(t, "constant reads", <-stopped, nil)
	if longest > 3<<20 {
		t.Errorf("the WAL had up to %d bytes, want at most 3 MiB", longest)
	}
}
