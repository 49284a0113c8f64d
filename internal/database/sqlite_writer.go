package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"waymark/internal/waymark"
)

// What ends a group: so many changes, or so many rows that they have changed, so
// that nobody waits for the large changes of others. Counting rows takes a
// statement, which only pays in a group that has taken some time.
const (
	maxBatch      = 256
	maxBatchRows  = 5_000
	batchSoftTime = 5 * time.Millisecond
)

// batchWriter runs every change on one connection, one after the other, and
// commits what waits together: a commit costs a sync of the disk, which is then
// shared. No change is answered before it is on the disk.
type batchWriter struct {
	file  string // of the database
	conn  *sql.Conn
	cache *stmtCache
	jobs  chan *job
	quit  chan struct{}
	once  sync.Once
	done  chan struct{}

	batches, commits *histogram
	checkpoints      *checkpoints
	trace            func(text string)
}

// job is a change that waits for its turn, and then for its commit.
type job struct {
	ctx     context.Context
	do      func(ctx context.Context, q Querier) error
	result  chan error
	claimed atomic.Bool // by the writer, or back by whoever does not want it any more
}

// claim tells whether the job is still wanted, which it is only once.
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

var errClosed = fmt.Errorf("%w: the store is closed", waymark.ErrUnavailable)

func startSQLiteWriter(ctx context.Context, db *sql.DB, file string, c *checkpoints, trace func(text string)) (*batchWriter, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	w := &batchWriter{
		file:  file,
		conn:  conn,
		cache: &stmtCache{on: conn},
		jobs:  make(chan *job, maxBatch),
		quit:  make(chan struct{}),
		done:  make(chan struct{}),

		batches: newHistogram(1, 2, 4, 8, 16, 32, 64, 128, maxBatch),
		commits: newCommitHistogram(),

		checkpoints: c,
		trace:       trace,
	}
	go w.run()
	return w, nil
}

// change hands do to the writer and waits for its commit. Once do has begun, the
// wait goes to its end even if ctx does not, since only the end tells whether the
// change is there.
func (w *batchWriter) change(ctx context.Context, do func(ctx context.Context, q Querier) error) error {
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
	select {
	case err := <-j.result:
		return err
	default:
		return errClosed
	}
}

func (w *batchWriter) stats(into *Stats) {
	into.WriteQueue = len(w.jobs)
	into.Batches = w.batches.snapshot()
	into.Commits = w.commits.snapshot()
	into.DatabaseBytes = fileSize(w.file)
	into.WALBytes = fileSize(w.file + "-wal")
	into.Checkpoints = map[string]int64{
		"whole":   w.checkpoints.complete.Load(),
		"partial": w.checkpoints.partial.Load(),
		"failed":  w.checkpoints.failed.Load(),
	}
}

// fileSize is 0 for a file that is not there.
func fileSize(name string) int64 {
	info, err := os.Stat(name)
	if err != nil {
		return 0
	}
	return info.Size()
}

// close lets the changes that wait come to their end, and takes no more.
func (w *batchWriter) close() error {
	w.once.Do(func() { close(w.quit) })
	<-w.done
	return errors.Join(w.cache.close(), w.conn.Close())
}

func (w *batchWriter) run() {
	defer close(w.done)
	for {
		select {
		case j := <-w.jobs:
			w.commitBatch(j)
		case <-w.quit:
			for {
				select {
				case j := <-w.jobs:
					w.commitBatch(j)
				default:
					return
				}
			}
		}
	}
}

// commitBatch runs first and whatever waits behind it in one transaction, each in a
// savepoint of its own, and answers all after the commit.
func (w *batchWriter) commitBatch(first *job) {
	// A statement that is interrupted could roll back the neighbours' changes, so
	// nothing here can be cancelled; a change that is not wanted any more is skipped.
	ctx := context.Background()
	q := Querier{runner: w.conn, dialect: &sqliteDialect, stmts: w.cache, trace: w.trace}
	if !first.claim() {
		return
	}
	if _, err := q.Exec(ctx, "BEGIN IMMEDIATE"); err != nil {
		first.result <- fmt.Errorf("begin to write: %w", err)
		return
	}
	var group []*job
	full := w.batchLimit(ctx, q)
	for j := first; j != nil; j = w.nextQueued(full) {
		err, lost := w.runInSavepoint(ctx, q, j)
		if lost {
			// The database has given up the whole transaction (a full disk, say).
			// What is wrong with this change may be its own affair.
			for _, earlier := range group {
				earlier.result <- fmt.Errorf("%w: undone together with another change: %s", waymark.ErrUnavailable, err.Error())
			}
			j.result <- err
			return
		}
		if err != nil {
			j.result <- err
			continue
		}
		group = append(group, j)
	}
	began := time.Now()
	_, err := q.Exec(ctx, "COMMIT")
	w.commits.observe(time.Since(began).Seconds())
	w.batches.observe(float64(len(group)))
	if err != nil {
		err = fmt.Errorf("commit: %w", err)
		_, _ = q.Exec(ctx, "ROLLBACK") // there may be no transaction left to end
	}
	for _, j := range group {
		j.result <- err
	}
	w.checkpoint(ctx)
}

// batchLimit begins a group, and tells after each of its changes whether it is full.
func (w *batchWriter) batchLimit(ctx context.Context, q Querier) func() bool {
	rows := func() int64 {
		n, err := QueryOne(ctx, q, ScanValue[int64], "SELECT total_changes()")
		if err != nil {
			return maxBatchRows
		}
		return n
	}
	n, began, before := 0, time.Now(), rows()
	return func() bool {
		n++
		return n >= maxBatch || time.Since(began) > batchSoftTime && rows()-before >= maxBatchRows
	}
}

// nextQueued returns a job that waits already, or nil where the group is full or nobody waits.
func (w *batchWriter) nextQueued(full func() bool) *job {
	if full() {
		return nil
	}
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

// runInSavepoint runs one change in a savepoint. lost says that the transaction around it
// has ended, and every change in it is undone.
func (w *batchWriter) runInSavepoint(ctx context.Context, q Querier, j *job) (err error, lost bool) { //nolint:revive // err is the answer, lost is about the rest
	if _, err := q.Exec(ctx, "SAVEPOINT one"); err != nil {
		return w.rollbackAll(ctx, q, err)
	}
	if err := recovering(ctx, q, j.do); err != nil {
		if _, undo := q.Exec(ctx, "ROLLBACK TO one"); undo != nil {
			return w.rollbackAll(ctx, q, err)
		}
		if _, undo := q.Exec(ctx, "RELEASE one"); undo != nil {
			return w.rollbackAll(ctx, q, err)
		}
		return err, false
	}
	if _, err := q.Exec(ctx, "RELEASE one"); err != nil {
		return w.rollbackAll(ctx, q, err)
	}
	return nil, false
}

func (w *batchWriter) rollbackAll(ctx context.Context, q Querier, err error) (error, bool) { //nolint:revive // as run1
	_, _ = q.Exec(ctx, "ROLLBACK") // there may be no transaction left to end
	return err, true
}

// recovering turns a panic in a change into an error, so that the writer lives on
// for the others.
func recovering(ctx context.Context, q Querier, do func(ctx context.Context, q Querier) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in a change: %v", p)
		}
	}()
	return do(ctx, q)
}
