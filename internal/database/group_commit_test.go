package database_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// The error of a write can be about what another one of its batch has changed.
func TestFailedWriteReturnsAfterTheCommitOfItsBatch(t *testing.T) {
	h := holdWriter(t, openSQLite(t))
	refused := errors.New("refused")
	queued := h.queue(t.Context(), func(exec) error { return refused })
	h.release()
	wantError(t, "the second write", <-queued, refused)
	wantIDs(t, h.DB, -1)
}

func TestFailedWritesCountTowardsTheBatchLimit(t *testing.T) {
	h := holdWriter(t, openSQLite(t))
	const many = 600
	ended := make(chan struct{})
	var refused func(n int)
	refused = func(n int) {
		h.WriteTx(t.Context(), func(context.Context, database.Querier) error { //nolint:errcheck // it is refused
			if n < many { // the queue always has another write
				go refused(n + 1)
				for h.QueuedWrites() == 0 {
					runtime.Gosched()
				}
				return errors.New("refused")
			}
			defer close(ended)
			wantIDs(t, h.DB, -1) // which reads see after its commit
			return nil
		})
	}
	go refused(1)
	for h.QueuedWrites() == 0 {
		runtime.Gosched()
	}
	h.release()
	<-ended
	wantError(t, "the write before them", <-h.first, nil)
}

func TestLongWriteEndsItsBatch(t *testing.T) {
	h := holdWriter(t, openSQLite(t))
	long := h.queue(t.Context(), func(exec exec) error {
		time.Sleep(50 * time.Millisecond) // more than a batch may take
		return exec("INSERT INTO texts (id) VALUES (1)")
	})
	next := h.queue(t.Context(), func(exec) error {
		n, err := database.QueryOne(t.Context(), h.Querier(), database.ScanValue[int64], "SELECT count(*) FROM texts")
		if want := int64(2); err == nil && n != want {
			t.Errorf("while the next write runs, reads see %d rows, want %d", n, want)
		}
		return err
	})
	h.release()
	wantError(t, "the long write", <-long, nil)
	wantError(t, "the next write", <-next, nil)
}

// SQLite can roll back the transaction of a whole batch. The writes that did not cause it
// return ErrUnavailable, so that their callers can retry them.
func TestLostTransactionMakesItsBatchUnavailable(t *testing.T) {
	inOneBatch(t, func(t *testing.T) {
		h := holdWriter(t, openSQLite(t))
		other := h.queue(t.Context(), insert(1))
		failing := h.queue(t.Context(), func(exec exec) error {
			if err := exec("ROLLBACK"); err != nil {
				return err
			}
			return waymark.ErrConflict
		})
		after := h.queue(t.Context(), insert(2))
		h.release()
		wantError(t, "first", <-h.first, waymark.ErrUnavailable)
		err := <-other
		wantError(t, "other", err, waymark.ErrUnavailable)
		if errors.Is(err, waymark.ErrConflict) {
			t.Errorf("other: got error %v, which belongs to another write", err)
		}
		wantError(t, "failing", <-failing, waymark.ErrConflict)
		wantError(t, "after", <-after, nil)
		wantIDs(t, h.DB, 2)
	})
}
