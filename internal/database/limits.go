package database

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"waymark/internal/permits"
	"waymark/internal/waymark"
)

// limits are the numbers of operations that run at a time. All transactions together, including
// txWriter's, are fewer than the connections, unless Options.Connections is at its minimum: single
// statements need connections too, and in SQLite a transaction may need a second one to prepare a
// statement.
type limits struct {
	reads     chan struct{} // holds a value for each ReadTx
	longReads *permits.Limit
	searches  *permits.Limit
	streams   *permits.Limit
	bulks     *permits.Limit

	longReadsRunning atomic.Int64 // with backups, which need no permit
}

// maxStreams is the number of streamed responses at a time, and maxUserStreams the number for one
// user. Each has a batch of rows in memory, about 1 MiB.
const (
	maxStreams     = 32
	maxUserStreams = 4
)

// maxLongReads is the number of long reads at a time with SQLite, which has no limit of connections.
const maxLongReads = 4

// newLimits divides the connections between the kinds of transactions.
func newLimits(kind Kind, connections int) *limits {
	reads, longReads, bulks := max(1, connections/2), maxLongReads, 1 // in SQLite, changes follow one another anyway
	if kind == PostgreSQL {
		reads, longReads, bulks = max(1, (connections-1)/2), max(1, connections/4), max(1, connections/5)
	}
	searches := max(1, min(runtime.GOMAXPROCS(0), connections/4))
	return &limits{
		reads:     make(chan struct{}, reads),
		longReads: newLimit(longReads),
		searches:  newLimit(searches),
		streams:   permits.New(permits.Options{All: maxStreams, PerUser: maxUserStreams, Wait: maxWait, Refused: errNoPermit}),
		bulks:     newLimit(bulks),
	}
}

// newLimit returns a limit of operations, of which a user can run half.
func newLimit(all int) *permits.Limit {
	return permits.New(permits.Options{All: int64(all), Wait: maxWait, Refused: errNoPermit})
}

// maxWait is how long an operation waits for its permits.
const maxWait = 10 * time.Second

var errNoPermit = fmt.Errorf("%w: too many operations of this kind are running", waymark.ErrBusy)

// acquire waits for a free place. It returns waymark.ErrBusy if the time limit of ctx ends first.
func acquire(ctx context.Context, semaphore chan struct{}) error {
	select {
	case semaphore <- struct{}{}:
		return nil
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return errNoPermit
		}
		return ctx.Err()
	}
}

func release(semaphore chan struct{}) { <-semaphore }
