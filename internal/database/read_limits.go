package database

import (
	"context"
	"fmt"
	"runtime"
	"time"
)

// allotConnections divides the connections between the kinds of transactions.
func (db *DB) allotConnections(connections int, streamMinRun time.Duration) {
	reads := max(1, connections/2)
	if db.dialect.kind == PostgreSQL {
		reads = max(1, (connections-1)/2) // with streams and writes, one is left to single statements
	}
	db.readSlots = newFairSemaphore(reads, reads)
	searches := searchSlots(connections)
	db.searchSlots = newFairSemaphore(searches, share(searches))
	db.searchWorkers = make(chan struct{}, max(0, runtime.GOMAXPROCS(0)-1-searches)) // one processor is left to short reads and writes
	streams, bulks := sqliteStreams, 1                                               // in SQLite all changes follow one another anyway
	if db.dialect.kind == PostgreSQL {
		streams, bulks = max(1, connections/4), max(1, connections/5)
	}
	db.streams = newStreams(streams, streamMinRun)
	db.bulkSlots = newFairSemaphore(bulks, share(bulks))
}

// sqliteStreams is the number of streaming reads that run at a time with SQLite: together with the
// transactions for other reads fewer than there are connections.
const sqliteStreams = 3

// share is the maximum number of slots that one user has of those for long operations:
// half of them, rounded up, so that some are free for the first request of another user.
func share(slots int) int { return max(1, (slots+1)/2) }

// searchSlots returns the number of searches that run at a time. One user has half of
// them, so the searches of one user leave processors to others.
func searchSlots(connections int) int { return max(1, min(runtime.GOMAXPROCS(0), connections/4)) }

// serverUser is the user of reads of the server itself.
const serverUser = 0

// ReadTx runs read in a transaction that sees one snapshot. It waits for one of a
// limited number of slots. Users who wait get one in rotation; serverUser is one
// of them. Errors of read are returned as they are.
func (db *DB) ReadTx(ctx context.Context, user int64, read func(q Querier) error) error {
	if db.within != nil {
		return read(*db.within)
	}
	return db.readSlots.do(ctx, user, func() error { return db.readTx(ctx, read) })
}

// Search calls read, which needs much of a processor. Searches have slots of their own, so
// that short reads do not wait for them. Users who wait for a slot get one in rotation.
func (db *DB) Search(ctx context.Context, user int64, read func() error) error {
	if db.within != nil {
		return read()
	}
	return db.searchSlots.do(ctx, user, read)
}

// Bulk calls change, which changes many rows. Such changes have slots of their own, so that
// other changes do not wait for all that one user has sent. Users who wait for a slot get
// one in rotation.
func (db *DB) Bulk(ctx context.Context, user int64, change func() error) error {
	if db.within != nil {
		return change()
	}
	return db.bulkSlots.do(ctx, user, change)
}

// TrySearchWorker reports whether a search may use a further goroutine. It returns the
// function to call when that has ended, or nil.
func (db *DB) TrySearchWorker() (done func()) {
	select {
	case db.searchWorkers <- struct{}{}:
		return func() { <-db.searchWorkers }
	default:
		return nil
	}
}

// YieldProcessor lets other threads run if other searches wait for a slot, so that short requests
// do not wait for many searches. A search calls it about once in half a millisecond.
//
// With as many busy threads as processors, Linux lets a thread that was woken, such as the one
// that has received a request, wait until the end of a time slice of 4 ms. While no search waits,
// a search yields to nobody: other programs that are busy would make it many times slower.
func (db *DB) YieldProcessor() {
	if db.searchSlots.waits() {
		yieldThread()
	}
}

func (db *DB) readTx(ctx context.Context, read func(q Querier) error) error {
	tx, err := db.read.BeginTx(ctx, db.dialect.readTxOptions)
	if err != nil {
		return db.dialect.mapError(fmt.Errorf("begin a read transaction: %w", err))
	}
	defer tx.Rollback() //nolint:errcheck // a read transaction changes nothing
	return read(Querier{runner: tx, dialect: db.dialect, stmts: db.stmts, tx: tx, trace: db.trace})
}
