package store_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"waymark/internal/store/storetest"
	"waymark/internal/waymark"
)

func TestChangeWaitsNoLongerThanItsTime(t *testing.T) {
	h := hold(t, storetest.Open(t))
	ctx, cancel := context.WithCancel(t.Context())
	waits := h.wait(ctx, keep(1))
	cancel()
	wantError(t, "a change whose time is over", <-waits, context.Canceled) // while the writer is busy
	h.release()
	wantError(t, "the change that kept the writer busy", <-h.first, nil)
	wantKept(t, h.Store, -1)
}

func TestChangesThatAreRefusedKeepNobodyWaiting(t *testing.T) {
	h := hold(t, storetest.Open(t))
	const many = 600
	ended := make(chan struct{})
	var refused func(n int)
	refused = func(n int) {
		h.Change(t.Context(), func(context.Context, exec) error { //nolint:errcheck // it is refused
			if n < many { // there is always one more that waits
				go refused(n + 1)
				for h.Waiting() == 0 {
					runtime.Gosched()
				}
				return errors.New("no")
			}
			defer close(ended)
			select {
			case err := <-h.first:
				wantError(t, "the change before them", err, nil)
			default:
				t.Errorf("the change before them waits after %d", many)
			}
			return nil
		})
	}
	go refused(1)
	for h.Waiting() == 0 {
		runtime.Gosched()
	}
	h.release()
	<-ended
}

func TestLargeChangeIsCommittedBeforeTheNextBegins(t *testing.T) {
	h := hold(t, storetest.Open(t))
	large := func(from int) func(exec) error {
		return func(exec exec) error {
			return exec(`
				WITH RECURSIVE numbers (n) AS (SELECT $1 UNION ALL SELECT n + 1 FROM numbers WHERE n < $1 + 15000)
				INSERT INTO kept SELECT n FROM numbers`, from)
		}
	}
	seen := func(want int64) func(exec) error {
		return func(exec) error {
			rows, err := h.Rows(t.Context(), "SELECT count(*) FROM kept")
			if err != nil {
				return err
			}
			if got := rows[0][0].(int64); got != want { //nolint:errcheck // a column of integers
				t.Errorf("while the next change runs, readers see %d rows, want %d", got, want)
			}
			return nil
		}
	}
	answers := []<-chan error{
		h.wait(t.Context(), large(1)),
		h.wait(t.Context(), seen(1+15_001)),
	}
	h.release()
	for _, answer := range answers {
		wantError(t, "a change", <-answer, nil)
	}
}

// A transaction that is gone takes the neighbours' changes with it: they may try
// again, whatever is wrong with the change that was the last in it.
func TestNeighboursOfALostTransactionMayTryAgain(t *testing.T) {
	h := hold(t, storetest.Open(t))
	neighbour := h.wait(t.Context(), keep(1))
	guilty := h.wait(t.Context(), func(exec exec) error {
		if err := exec("ROLLBACK"); err != nil {
			return err
		}
		return waymark.ErrConflict
	})
	after := h.wait(t.Context(), keep(2))
	h.release()
	wantError(t, "first", <-h.first, waymark.ErrUnavailable)
	err := <-neighbour
	wantError(t, "neighbour", err, waymark.ErrUnavailable)
	if errors.Is(err, waymark.ErrConflict) {
		t.Errorf("neighbour: got error %v, which is another's", err)
	}
	wantError(t, "guilty", <-guilty, waymark.ErrConflict)
	wantError(t, "after", <-after, nil)
	wantKept(t, h.Store, 2)
}
