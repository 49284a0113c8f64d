package database

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waymark/internal/waymark"
)

// A batch ends after maxBatch writes or after maxBatchTime, so that small writes do not wait behind large ones.
const (
	maxBatch     = 256
	maxBatchTime = 20 * time.Millisecond
)

// batchWriter runs all write transactions on one connection, one after the other, as
// savepoints of a larger transaction: it commits together what waits in the queue (group
// commit), since each commit costs a sync of the disk. A write returns after its commit.
type batchWriter struct {
	file    string // of the database
	conn    *sql.Conn
	querier Querier // on conn
	jobs    chan *job
	between chan func()   // what the writer does between two batches
	quit    chan struct{} // closed to stop the writer
	done    chan struct{} // closed when the writer has stopped

	commits     prometheus.Histogram
	checkpoints *checkpoints
	busyTimeout time.Duration // how long begin waits

	health *sqliteHealth
}

// job is a write transaction in the queue.
type job struct {
	ctx     context.Context
	do      func(ctx context.Context, q Querier) error
	result  chan error
	claimed atomic.Bool // set by the writer to run the job, or by its sender to drop it
	err     error       // the result, before it is sent
}

// claim reports whether the writer is to run the job. One whose context has ended gets its error.
func (j *job) claim() bool {
	if j.claimed.Swap(true) {
		return false
	}
	if err := j.ctx.Err(); err != nil {
		j.result <- err
		return false
	}
	return true
}

var errClosed = fmt.Errorf("%w: the database is closed", waymark.ErrUnavailable)

// startBatchWriter starts the writer on a connection of its own. Its close stops it.
func (db *DB) startBatchWriter(ctx context.Context, health *sqliteHealth) (*batchWriter, error) {
	conn, err := db.write.Conn(ctx)
	if err != nil {
		return nil, err
	}
	setBusyTimeout(ctx, conn, 0) // begin waits instead
	w := &batchWriter{
		file:        health.file,
		health:      health,
		conn:        conn,
		querier:     Querier{runner: conn, dialect: db.dialect, stmts: &stmtCache{preparer: conn}, trace: db.trace, uninterrupted: true},
		jobs:        make(chan *job, maxBatch),
		between:     make(chan func()),
		quit:        make(chan struct{}),
		done:        make(chan struct{}),
		commits:     db.commits,
		busyTimeout: busyTimeout,
		checkpoints: newCheckpoints(health.file, conn, &db.limits.longReadsRunning),
	}
	go w.run()
	return w, nil
}

// writeTx queues do and waits for its commit. Once do has started, writeTx waits for the
// result even if ctx ends, since only the result shows whether the changes were stored.
func (w *batchWriter) writeTx(ctx context.Context, do func(ctx context.Context, q Querier) error) error {
	j := &job{ctx: ctx, do: do, result: make(chan error, 1)}
	select {
	case w.jobs <- j:
	case <-ctx.Done():
		return ctx.Err()
	case <-w.quit:
		return errClosed
	}
	select {
	case err := <-j.result:
		return err
	case <-ctx.Done():
		if !j.claimed.Swap(true) {
			return ctx.Err()
		}
	case <-w.done:
	}
	select {
	case err := <-j.result:
		return err
	case <-w.done:
	}
	select { // both may have been ready
	case err := <-j.result:
		return err
	default:
		return errClosed
	}
}

// close runs the jobs in the queue, then stops the writer.
func (w *batchWriter) close() error {
	close(w.quit)
	<-w.done
	return errors.Join(w.querier.stmts.close(), w.conn.Close())
}

func (w *batchWriter) run() {
	defer close(w.done)
	for {
		select {
		case j := <-w.jobs:
			if j.claim() {
				w.commitBatch(j)
			}
		case do := <-w.between:
			do()
		case <-w.quit:
			for j := w.nextQueued(); j != nil; j = w.nextQueued() {
				w.commitBatch(j)
			}
			return
		}
	}
}

// nextQueued claims a job in the queue and returns it, or nil if there is none.
func (w *batchWriter) nextQueued() *job {
	for {
		select {
		case j := <-w.jobs:
			if j.claim() {
				return j
			}
		default:
			return nil
		}
	}
}

// commitBatch runs first, and jobs from the queue until the batch is full, in one
// transaction. All get their results after the commit.
func (w *batchWriter) commitBatch(first *job) {
	ctx := context.Background() // the batch does not end with one of its jobs
	w.health.began.Store(time.Now().UnixNano())
	batch, err := w.runBatch(ctx, first, w.nextQueued)
	w.health.began.Store(0)
	written := w.checkpoints.bytesWritten()
	w.health.wrote(written, err)
	for _, j := range batch {
		j.result <- j.err
	}
	w.checkpoints.run(ctx, written)
}

// runBatch runs first and further jobs in one transaction, each in a savepoint of its own,
// and commits it. It returns the jobs whose results are to be sent, and the error of the
// transaction.
func (w *batchWriter) runBatch(ctx context.Context, first *job, next func() *job) (batch []*job, err error) {
	q := w.querier
	if first.err = w.health.checkPlace(); first.err != nil {
		return []*job{first}, first.err
	}
	if err := w.begin(ctx); err != nil {
		first.err = fmt.Errorf("begin a write transaction: %w", err)
		return []*job{first}, first.err
	}
	began := time.Now()
	for j := first; j != nil; j = next() {
		lost, err := runInSavepoint(j.ctx, q, j.do)
		if lost {
			_, _ = q.Exec(ctx, "ROLLBACK") // fails if SQLite has rolled back already
			// The error may be specific to this job, so the others get another error.
			for _, earlier := range batch {
				earlier.err = fmt.Errorf("%w: rolled back together with another write: %s", waymark.ErrUnavailable, err.Error())
			}
			j.err = err
			return append(batch, j), err
		}
		j.err = err // it can be about what an earlier one has changed, so that the commit comes first
		batch = append(batch, j)
		if len(batch) == maxBatch || time.Since(began) > maxBatchTime {
			break
		}
	}
	began = time.Now()
	_, err = q.Exec(ctx, "COMMIT")
	w.commits.Observe(time.Since(began).Seconds())
	if err != nil {
		err = fmt.Errorf("commit: %w", err)
		_, _ = q.Exec(ctx, "ROLLBACK") // fails if SQLite has rolled back already
	}
	for _, j := range batch {
		j.err = cmp.Or(err, j.err) // what its own error is about may not be stored
	}
	return batch, err
}

// begin begins a transaction, after those of other processes. SQLite would look every 100 ms whether one has ended, and
// would hardly ever find a gap between those of an import.
func (w *batchWriter) begin(ctx context.Context) error {
	for end := time.Now().Add(w.busyTimeout); ; time.Sleep(rand.N(2 * time.Millisecond)) { // not in step with the other process
		_, err := w.querier.Exec(ctx, "BEGIN IMMEDIATE")
		if !isBusy(err) || time.Now().After(end) {
			return err
		}
	}
}

// runInSavepoint runs do in a savepoint, and rolls that back if do fails. lost reports
// that the transaction cannot be continued: SQLite rolls back the whole of it when the
// disk is full, for example.
func runInSavepoint(ctx context.Context, q Querier, do func(ctx context.Context, q Querier) error) (lost bool, err error) {
	if _, err := q.Exec(ctx, "SAVEPOINT job"); err != nil {
		return true, err
	}
	err = recovering(ctx, q, do)
	if err != nil {
		if _, rollbackErr := q.Exec(ctx, "ROLLBACK TO job"); rollbackErr != nil {
			return true, err
		}
	}
	if _, releaseErr := q.Exec(ctx, "RELEASE job"); releaseErr != nil {
		return true, cmp.Or(err, releaseErr)
	}
	return false, err
}

// recovering runs do and returns its panic as an error, so that the writer can go on.
func recovering(ctx context.Context, q Querier, do func(ctx context.Context, q Querier) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a write transaction: %v", p)
		}
	}()
	return do(ctx, q)
}

const (
	// knownFor is how long a write tells that the database can be written: anybody may ask for it often.
	knownFor = 5 * time.Second
	// longestWrite is the time after which a write that has not ended is considered to hang.
	// Removing a user with 100,000 links takes 10 seconds.
	longestWrite = time.Minute
	// testWriteTimeout is how long a test waits for the writes before it.
	testWriteTimeout = time.Second
)

// check returns waymark.ErrUnavailable if the database is damaged or cannot be written. Unless a write is running
// or has just succeeded, it writes the first page of the file again. Long writes of others make nothing unavailable.
func (w *batchWriter) check(ctx context.Context) error {
	if damage := w.health.damage.Load(); damage != nil {
		return fmt.Errorf("%w: the database file is damaged: %w", waymark.ErrUnavailable, *damage)
	}
	if began := w.health.began.Load(); began != 0 {
		if time.Since(time.Unix(0, began)) > longestWrite {
			return fmt.Errorf("%w: a write to the database has not ended for %s", waymark.ErrUnavailable, longestWrite)
		}
		return nil
	}
	if time.Since(time.Unix(0, w.health.written.Load())) < knownFor {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, testWriteTimeout)
	defer cancel()
	result := make(chan error, 1)
	go func() { result <- w.writeTx(ctx, writeFirstPage) }()
	select {
	case err := <-result:
		if errors.Is(err, context.DeadlineExceeded) { // it waits behind other writes
			return nil
		}
		return err
	case <-ctx.Done():
		return nil // as above
	}
}

// writeFirstPage writes a number in the header of the file, which Waymark does not use.
func writeFirstPage(ctx context.Context, q Querier) error {
	version, err := QueryOne(ctx, q, ScanValue[int32], "PRAGMA user_version")
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, fmt.Sprintf("PRAGMA user_version = %d", version))
	return err
}

// EmptyWAL copies the write-ahead log into the database and truncates it, so that it contains no
// deleted or overwritten data. (In the database file, the writer overwrites what it deletes:
// secure_delete.) The writer does it between two batches. EmptyWAL returns waymark.ErrUnavailable, and
// leaves the content in the log, if transactions still read from the log after 200 ms. On PostgreSQL it
// does nothing.
func (db *DB) EmptyWAL(ctx context.Context) error {
	w, ok := db.writer.(*batchWriter)
	if !ok || fileSize(w.file+"-wal") == 0 {
		return nil
	}
	result := make(chan error, 1)
	select {
	case w.between <- func() { result <- w.emptyWAL(ctx) }:
		return db.dialect.mapError(<-result)
	case <-ctx.Done():
		return ctx.Err()
	case <-w.quit:
		return errClosed
	}
}

func (w *batchWriter) emptyWAL(ctx context.Context) error {
	if w.checkpoints.longReads.Load() > 0 {
		return errWALInUse
	}
	complete, err := w.checkpoints.truncateWAL(ctx, emptyWALWait)
	if err == nil && !complete {
		return errWALInUse
	}
	return err
}

var errWALInUse = fmt.Errorf("%w: the write-ahead log is in use", waymark.ErrUnavailable)

// emptyWALWait is how long EmptyWAL waits for reads. Meanwhile, writes wait too.
const emptyWALWait = 200 * time.Millisecond
