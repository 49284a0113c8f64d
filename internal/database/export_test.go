package database

import (
	"context"
	"time"
)

// QueuedWrites returns how many transactions wait for the writer of SQLite.
func (db *DB) QueuedWrites() int { return len(db.writer.(*batchWriter).jobs) }

// WALBytes returns the size of SQLite's write-ahead log.
func (db *DB) WALBytes() int64 { return fileSize(db.writer.(*batchWriter).file + "-wal") }

// SetCheckpointLimits replaces the limits of WAL checkpoints: sizes in bytes, and the
// time for which writes wait for reads.
func (db *DB) SetCheckpointLimits(ctx context.Context, interval, blockAt int64, maxWait time.Duration) error {
	return db.WriteTx(ctx, func(context.Context, Querier) error { // on the goroutine that reads them
		c := db.writer.(*batchWriter).checkpoints
		c.interval, c.blockAt, c.maxWait = interval, blockAt, maxWait
		return nil
	})
}

// SetBusyTimeout sets how long a write waits for those of other processes.
func (db *DB) SetBusyTimeout(d time.Duration) { db.writer.(*batchWriter).busyTimeout = d }

// ForgetLastWrite makes the next Ping write.
func (db *DB) ForgetLastWrite() { db.writer.(*batchWriter).health.written.Store(0) }
