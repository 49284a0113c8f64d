package database_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"waymark/internal/database"
	"waymark/internal/database/dbtest"
	"waymark/internal/waymark"
)

// heldWriter is a SQLite database whose writer is busy until release is called, so that
// the writes queued until then form one batch. The write that keeps it busy inserts -1.
type heldWriter struct {
	*database.DB
	t       *testing.T
	release func()
	first   <-chan error // the result of the write that keeps the writer busy
	queued  int
}

// holdWriter keeps the writer busy.
func holdWriter(t *testing.T, db *database.DB) *heldWriter {
	t.Helper()
	started, proceed, first := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		first <- writeTx(t.Context(), db, func(exec exec) error {
			close(started)
			<-proceed
			return insert(-1)(exec)
		})
	}()
	<-started
	return &heldWriter{DB: db, t: t, release: sync.OnceFunc(func() { close(proceed) }), first: first}
}

// inOneBatch runs test with a clock that stands still while a write waits for another goroutine: on a busy machine a
// batch would end by its time.
func inOneBatch(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

// queue adds a write to the queue and returns the channel for its result.
func (h *heldWriter) queue(ctx context.Context, do func(exec exec) error) <-chan error {
	h.t.Helper()
	result := make(chan error, 1)
	go func() { result <- writeTx(ctx, h.DB, do) }()
	h.queued++
	for h.QueuedWrites() < h.queued {
		runtime.Gosched()
	}
	return result
}

func TestWriteReturnsAfterItsCommit(t *testing.T) {
	inOneBatch(t, func(t *testing.T) {
		h := holdWriter(t, openSQLite(t))
		second := h.queue(t.Context(), insert(2))
		started, proceed := make(chan struct{}), make(chan struct{})
		third := h.queue(t.Context(), func(exec exec) error {
			close(started)
			<-proceed
			return insert(3)(exec)
		})
		h.release()
		<-started // the two writes before it have run in the same transaction
		select {
		case err := <-h.first:
			t.Errorf("the first write returned %v before its commit", err)
		case err := <-second:
			t.Errorf("the second write returned %v before its commit", err)
		default:
		}
		wantIDs(t, h.DB)
		close(proceed)
		for what, result := range map[string]<-chan error{"first": h.first, "second": second, "third": third} {
			wantError(t, what, <-result, nil)
		}
		wantIDs(t, h.DB, -1, 2, 3)
	})
}

func TestFailedWriteDoesNotAffectItsBatch(t *testing.T) {
	h := holdWriter(t, openSQLite(t))
	errRefused := errors.New("refused")
	var results []<-chan error
	want := []int64{-1}
	for n := range int64(40) {
		results = append(results, h.queue(t.Context(), func(exec exec) error {
			if err := insert(n)(exec); err != nil {
				return err
			}
			switch n % 4 {
			case 1:
				return errRefused
			case 2:
				panic("in the test")
			case 3:
				return insert(-1)(exec) // exists
			}
			return nil
		}))
		if n%4 == 0 {
			want = append(want, n)
		}
	}
	h.release()
	for n, result := range results {
		err := <-result
		switch what := fmt.Sprint("write ", n); n % 4 {
		case 0:
			wantError(t, what, err, nil)
		case 1:
			wantError(t, what, err, errRefused)
		case 2:
			if err == nil || !strings.Contains(err.Error(), "in the test") {
				t.Errorf("%s: got error %v, want the value of the panic", what, err)
			}
		case 3:
			wantError(t, what, err, waymark.ErrConflict)
		}
	}
	wantIDs(t, h.DB, want...)
}

func TestCanceledWriteDoesNotAffectItsBatch(t *testing.T) {
	h := holdWriter(t, openSQLite(t))
	queuedCtx, cancelQueued := context.WithCancel(t.Context())
	before := h.queue(t.Context(), insert(1))
	queued := h.queue(queuedCtx, insert(2))
	runningCtx, cancelRunning := context.WithCancel(t.Context())
	running := h.queue(runningCtx, func(exec exec) error {
		if err := insert(3)(exec); err != nil {
			return err
		}
		cancelRunning() // has no effect on a write that runs
		return insert(4)(exec)
	})
	after := h.queue(t.Context(), insert(5))
	cancelQueued()
	h.release()
	wantError(t, "before", <-before, nil)
	wantError(t, "canceled in the queue", <-queued, context.Canceled)
	wantError(t, "canceled while it ran", <-running, nil)
	wantError(t, "after", <-after, nil)
	wantError(t, "canceled before the call", writeTx(queuedCtx, h.DB, insert(6)), context.Canceled)
	wantIDs(t, h.DB, -1, 1, 3, 4, 5)
}

func TestCloseRunsQueuedWrites(t *testing.T) {
	o := sqliteOptions(t.TempDir())
	db, err := database.Open(t.Context(), o)
	check(t, err)
	h := holdWriter(t, db)
	var results []<-chan error
	want := []int64{-1}
	for n := range int64(20) {
		results = append(results, h.queue(t.Context(), insert(n)))
		want = append(want, n)
	}
	closed := make(chan error)
	go func() { closed <- db.Close() }()
	h.release()
	wantError(t, "close", <-closed, nil)
	for n, result := range results {
		wantError(t, fmt.Sprint("write ", n), <-result, nil)
	}
	wantError(t, "close again", db.Close(), nil)
	wantError(t, "a write after close", writeTx(t.Context(), db, insert(99)), waymark.ErrUnavailable)
	wantIDs(t, dbtest.Open(t, o), want...)
}

func TestFailedCommitIsReportedToItsBatch(t *testing.T) {
	inOneBatch(t, func(t *testing.T) {
		h := holdWriter(t, openSQLite(t))
		other := h.queue(t.Context(), insert(1))
		failing := h.queue(t.Context(), func(exec exec) error { // the foreign key is checked at the commit
			if err := exec("PRAGMA defer_foreign_keys = 1"); err != nil {
				return err
			}
			return exec("INSERT INTO refs VALUES (99)")
		})
		refused := h.queue(t.Context(), func(exec) error { return waymark.ErrConflict }) // with the first write, for example
		h.release()
		for what, result := range map[string]<-chan error{"first": h.first, "other": other, "failing": failing, "refused": refused} {
			if err := <-result; err == nil || errors.Is(err, waymark.ErrConflict) {
				t.Errorf("%s: got error %v, want that nothing was committed", what, err)
			}
		}
		wantIDs(t, h.DB)
		wantError(t, "the next write", writeTx(t.Context(), h.DB, insert(7)), nil)
		wantIDs(t, h.DB, 7)
	})
}

func TestLockedDatabaseIsUnavailableForWrites(t *testing.T) {
	o := sqliteOptions(t.TempDir())
	db := dbtest.Open(t, o)
	db.SetBusyTimeout(20 * time.Millisecond)
	other := holdWriter(t, dbtest.Open(t, o)) // as another process does
	wantError(t, "a write while another process writes", writeTx(t.Context(), db, insert(1)), waymark.ErrUnavailable)
	wantIDs(t, db)
	other.release()
	wantError(t, "the other write", <-other.first, nil)
	mustWrite(t, db, insert(1))
	wantIDs(t, db, -1, 1)
}

// A process that writes without a pause, such as an import by a command, lets others write.
func TestWriteFindsAGapBetweenThoseOfAnotherProcess(t *testing.T) {
	o := sqliteOptions(t.TempDir())
	db, other := dbtest.Open(t, o), dbtest.Open(t, o)
	var stop atomic.Bool
	stopped := make(chan error, 1)
	go func() {
		var err error
		for err == nil && !stop.Load() {
			err = writeTx(context.Background(), other, func(exec exec) error {
				time.Sleep(5 * time.Millisecond)
				return exec("UPDATE texts SET text = text")
			})
		}
		stopped <- err
	}()
	for id := range int64(10) {
		mustWrite(t, db, insert(id)) // it fails after 10 seconds
	}
	stop.Store(true)
	wantError(t, "the other process", <-stopped, nil)
}

// A file that may not grow fails a statement of a write.
func TestFullDatabaseKeepsAcknowledgedWrites(t *testing.T) {
	db := openSQLite(t)
	setMaxPages := func(n int64) {
		t.Helper()
		mustWrite(t, db, func(exec exec) error { return exec(fmt.Sprint("PRAGMA max_page_count = ", n)) })
	}
	checkFull(t, db,
		func() { setMaxPages(queryValue[int64](t, db.Querier(), "PRAGMA page_count") + 100) },
		func() { setMaxPages(1073741823) })
}

// checkFull inserts texts in parallel until the space that limit leaves is used up, and
// again after lift. Exactly the inserts that returned no error must be stored.
func checkFull(t *testing.T, db *database.DB, limit, lift func()) {
	t.Helper()
	text := strings.Repeat("a text of some length, ", 700)
	var mu sync.Mutex
	var stored []int64
	refused := 0
	add := func(id int64) error {
		err := writeTx(t.Context(), db, insertText(id, text))
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			stored = append(stored, id)
			return nil
		}
		wantError(t, "insert without space", err, waymark.ErrUnavailable)
		refused++
		return err
	}
	stays := func() {
		t.Helper()
		slices.Sort(stored)
		wantIDs(t, db, stored...)
		if got := queryValue[string](t, db.Querier(), "PRAGMA integrity_check"); got != "ok" {
			t.Errorf("integrity check: %s", got)
		}
	}

	limit()
	for id := range int64(3) { // they fit; a batch of many may not
		check(t, add(id))
	}
	var writers sync.WaitGroup
	for w := range int64(20) {
		writers.Go(func() {
			for i := range int64(10) {
				add(100 + 10*w + i) //nolint:errcheck // add checks it
			}
		})
	}
	writers.Wait()
	if len(stored) == 0 || refused == 0 {
		t.Errorf("%d texts stored, %d refused: want some of both", len(stored), refused)
	}
	stays()
	lift()
	for id := range int64(20) {
		wantError(t, "insert with space again", add(2000+id), nil)
	}
	stays()
}

func TestParallelWritesAreAllStored(t *testing.T) {
	each(t, func(t *testing.T, db *database.DB) {
		mustWrite(t, db, insertText(0, "0"))
		var writers sync.WaitGroup
		for w := range int64(9) {
			writers.Go(func() {
				for i := range int64(12) {
					if err := writeTx(t.Context(), db, func(exec exec) error {
						if err := exec("UPDATE texts SET text = CAST(CAST(text AS INTEGER) + 1 AS TEXT) WHERE id = 0"); err != nil {
							return err
						}
						return insert(1 + 100*w + i)(exec)
					}); err != nil {
						t.Errorf("writer %d, write %d: %v", w, i, err)
					}
				}
			})
		}
		writers.Wait()
		if got := queryValue[string](t, db.Querier(), "SELECT text FROM texts WHERE id = 0"); got != "108" {
			t.Errorf("got %s increments, want 108", got)
		}
		if got := queryValue[int64](t, db.Querier(), "SELECT count(*) FROM texts"); got != 109 {
			t.Errorf("got %d texts, want 109", got)
		}
	})
}
