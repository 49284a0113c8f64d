package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"
)

// checkpoints decides when the writer runs a WAL checkpoint, and which kind, so that the WAL does
// not grow without limit.
//
// A checkpoint copies changes from the WAL into the database file. SQLite can write the
// WAL from its start again only if no transaction reads from it then. Its automatic
// checkpoints, one at a commit, rarely find such a moment while reads are frequent.
//
// So the writer runs the checkpoints, between two batches. Usually it copies what it can
// without waiting. Once the WAL is blockAt bytes long, it starts no further write until
// every transaction that reads from the WAL has ended, which takes as long as a short
// read. It does not wait for long reads: those end after maxLongRead.
type checkpoints struct {
	file      string        // of the database
	conn      *sql.Conn     // of the writer
	longReads *atomic.Int64 // the number of long reads that run
	interval  int64         // the number of bytes written between two checkpoints
	blockAt   int64         // the size of the WAL in bytes from which on writes wait for reads
	maxWait   time.Duration // how long writes wait at most

	written     int64 // the number of bytes since the last checkpoint
	nextBlockAt int64 // replaces blockAt if it is larger; 0 unless the last wait failed
}

func newCheckpoints(file string, conn *sql.Conn, longReads *atomic.Int64) *checkpoints {
	return &checkpoints{file: file, conn: conn, longReads: longReads, interval: 24 << 20, blockAt: 32 << 20, maxWait: 3 * time.Second}
}

// run runs a checkpoint if one is due after that many bytes were written.
func (c *checkpoints) run(ctx context.Context, written int64) {
	c.written += written
	if c.written < c.interval {
		return
	}
	c.written = 0
	size := fileSize(c.file + "-wal")
	if size < max(c.blockAt, c.nextBlockAt) || c.longReads.Load() > 0 {
		_, _ = checkpointWAL(ctx, c.conn, "PASSIVE") // an error comes again with the next write
		return
	}
	complete, _ := c.truncateWAL(ctx, c.maxWait) // as above
	c.nextBlockAt = 0
	if !complete { // another process reads all the time, as backups do
		c.nextBlockAt = 2 * size
	}
}

// truncateWAL waits for reads, at most for maxWait, and reports whether the WAL is empty
// afterwards. It tries repeatedly with a short busy timeout: SQLite determines once which
// positions in the WAL are in use and waits for those, while other reads may start there
// all the time.
func (c *checkpoints) truncateWAL(ctx context.Context, maxWait time.Duration) (complete bool, err error) {
	setBusyTimeout(ctx, c.conn, 20*time.Millisecond)
	defer setBusyTimeout(ctx, c.conn, 0)
	for end := time.Now().Add(maxWait); !complete && err == nil && time.Now().Before(end); {
		complete, err = checkpointWAL(ctx, c.conn, "TRUNCATE")
	}
	return complete, err
}

// checkpointWAL copies from the WAL into the database, and reports whether it copied all.
func checkpointWAL(ctx context.Context, conn *sql.Conn, mode string) (complete bool, err error) {
	var busy bool
	var pages, copied int
	err = conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint("+mode+")").Scan(&busy, &pages, &copied)
	return !busy && pages == copied, err
}

// setBusyTimeout sets how long a statement waits for reads and other processes.
func setBusyTimeout(ctx context.Context, conn *sql.Conn, timeout time.Duration) {
	// On a connection that fails here, the checkpoint fails too and returns the error.
	_, _ = conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout(%d)", timeout.Milliseconds()))
}

// bytesWritten returns the number of bytes written to the WAL since its last call.
func (c *checkpoints) bytesWritten() (n int64) {
	err := c.conn.Raw(func(conn any) error {
		status, ok := conn.(sqlite.DBStatus)
		if !ok {
			return errors.ErrUnsupported
		}
		pages, _, err := status.Status(sqlite.DBStatusCacheWrite, true)
		n = int64(pages) * pageSize
		return err
	})
	if err != nil {
		return c.interval // an early checkpoint is better than a late one
	}
	return n
}
