package database

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"
)

// checkpoints keep SQLite's log of changes, the WAL, from growing without end.
//
// A checkpoint copies the changes from the log into the database. From then on the
// log can be written from its start again, but only at a moment when nobody reads
// from it. SQLite by itself tries at every commit, and under steady reading does not
// find that moment.
//
// So the writer does it, between two groups, when everybody in the one is answered.
// Mostly it copies what it can. Once the log is long it lets no change begin until
// all who read have either ended or read from the database alone, which takes as long
// as two questions. Streams it does not wait for, unless the log is too long: then
// those that have run for a while are broken off.
type checkpoints struct {
	streams   *streams
	interval  int64         // what is written between two of them, in bytes
	blockAt   int64         // the size of the log from which on changes wait for readers
	preemptAt int64         // the size from which on streams are in the way
	maxWait   time.Duration // how long changes wait at most

	complete, partial, failed atomic.Int64 // how they ended

	written     int64 // bytes since the last one
	nextBlockAt int64 // in place of long, after a wait in vain
}

func newCheckpoints(s *streams) *checkpoints {
	return &checkpoints{streams: s, interval: 4 << 20, blockAt: 32 << 20, preemptAt: 256 << 20, maxWait: 3 * time.Second}
}

// checkpoint runs a checkpoint where it is time for one.
func (w *batchWriter) checkpoint(ctx context.Context) {
	c := w.checkpoints
	c.written += w.bytesWritten()
	if c.written < c.interval {
		return
	}
	c.written = 0
	size := fileSize(w.file + "-wal")
	if size >= c.preemptAt {
		c.streams.preempt(cap(c.streams.slots))
	}
	if size < max(c.blockAt, c.nextBlockAt) || len(c.streams.slots) > 0 {
		c.count(w.checkpointWAL(ctx, "PASSIVE"))
		return
	}
	whole, err := w.truncateWAL(ctx)
	c.count(whole, err)
	c.nextBlockAt = 0
	if !whole { // another process reads all the time, as backups do
		c.nextBlockAt = 2 * size
	}
}

func (c *checkpoints) count(whole bool, err error) {
	switch {
	case err != nil:
		c.failed.Add(1)
	case whole:
		c.complete.Add(1)
	default:
		c.partial.Add(1)
	}
}

// truncateWAL waits for readers, and tells whether the log is empty now. It tries
// several times: SQLite looks once at which places in the log are read from, then
// waits for those to be left, and others may come there all the time.
func (w *batchWriter) truncateWAL(ctx context.Context) (whole bool, err error) {
	w.setBusyTimeout(ctx, 20*time.Millisecond)
	defer w.setBusyTimeout(ctx, busyTimeout)
	for end := time.Now().Add(w.checkpoints.maxWait); !whole && err == nil && time.Now().Before(end); {
		whole, err = w.checkpointWAL(ctx, "TRUNCATE")
	}
	return whole, err
}

// checkpointWAL copies from the log into the database, and tells whether that was all.
func (w *batchWriter) checkpointWAL(ctx context.Context, mode string) (whole bool, err error) {
	var busy bool
	var inLog, copied int
	err = w.conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint("+mode+")").Scan(&busy, &inLog, &copied)
	return !busy && inLog == copied, err
}

// setBusyTimeout says how long a statement waits for readers and other processes.
func (w *batchWriter) setBusyTimeout(ctx context.Context, patience time.Duration) {
	// It cannot fail, and if it does the checkpoint tells.
	_, _ = w.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout(%d)", patience.Milliseconds()))
}

// bytesWritten is how much was written into the log since the last call, in bytes.
func (w *batchWriter) bytesWritten() (n int64) {
	err := w.conn.Raw(func(conn any) error {
		status, ok := conn.(sqlite.DBStatus)
		if !ok {
			return errors.ErrUnsupported
		}
		pages, _, err := status.Status(sqlite.DBStatusCacheWrite, true)
		n = int64(pages) * pageSize
		return err
	})
	if err != nil {
		return w.checkpoints.interval // rather too often than never
	}
	return n
}
