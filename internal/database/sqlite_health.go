package database

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"waymark/internal/waymark"
)

// sqliteHealth records whether the file of a SQLite database can be read and written, and logs when that changes.
type sqliteHealth struct {
	file   string
	opened fs.FileInfo // the file when it was opened
	log    *slog.Logger

	mu         sync.Mutex
	damage     error     // the first error that shows damage of the file; it stays
	writeError error     // of the last write; nil if it succeeded
	written    time.Time // when the last write ended
	began      time.Time // when the running write began; zero if none runs
}

// DamageAdvice is what to do about a damaged SQLite file, the end of every message about one.
const DamageAdvice = `stop the server and keep a copy of its files; then restore a backup, or save what can be read with waymark doctor --salvage DIR`

// resultCode returns the primary result code of an error of SQLite, or SQLITE_OK if err is none.
func resultCode(err error) int {
	e, ok := errors.AsType[*sqlite.Error](err)
	switch {
	case !ok:
		return sqlite3.SQLITE_OK
	case e.Code() == sqlite3.SQLITE_IOERR_SHMSIZE: // there is no space for the index of the WAL
		return sqlite3.SQLITE_FULL
	}
	return e.Code() & 0xff
}

// isDamage reports whether a file is damaged, or is not a database.
func isDamage(err error) bool {
	code := resultCode(err)
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
}

// isBusy reports whether another connection holds a lock that a statement needs.
func isBusy(err error) bool { return resultCode(err) == sqlite3.SQLITE_BUSY }

// IsDiskFull reports whether the database found no space on its disk, also in a part of a
// transaction. With PostgreSQL it is the disk of the database server.
func IsDiskFull(err error) bool {
	server, ok := errors.AsType[*pgconn.PgError](err)
	return resultCode(err) == sqlite3.SQLITE_FULL || ok && server.Code == "53100"
}

// observe records and logs the error of a statement if it is the first one that shows that the file is damaged.
func (h *sqliteHealth) observe(err error) {
	if !isDamage(err) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.damage == nil {
		h.damage = err
		h.log.Error("the database file is damaged", "file", h.file, "error", err, "advice", DamageAdvice)
	}
}

// beginWrite records that a write begins.
func (h *sqliteHealth) beginWrite() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.began = time.Now()
}

// checkPlace returns waymark.ErrUnavailable if the file was deleted, moved or replaced since it was
// opened: SQLite would go on writing to the old one, and report success.
func (h *sqliteHealth) checkPlace() error {
	info, err := os.Stat(h.file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) || err == nil && os.SameFile(h.opened, info) {
		return nil
	}
	return fmt.Errorf("%w: %s was deleted, moved or replaced while it was in use: stop the server, then put the file back or restore a backup",
		waymark.ErrUnavailable, h.file)
}

// endWrite records the result of a write: its error, and whether it wrote anything.
func (h *sqliteHealth) endWrite(err error, wrote bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.began = time.Time{}
	switch {
	case err != nil && !errors.Is(err, waymark.ErrUnavailable) && !isDamage(err), // it says nothing about the file
		err == nil && !wrote:
		return
	case err != nil && h.writeError == nil:
		h.log.Error("the database cannot be written", "file", h.file, "error", err)
	case err == nil && h.writeError != nil:
		h.log.Info("the database can be written again", "file", h.file)
	}
	h.writeError, h.written = err, time.Now()
}

const (
	// knownFor is how long the result of a write tells whether the database can be written.
	knownFor = 5 * time.Second
	// longestWrite is the time after which a write that has not ended is considered to hang.
	// Removing a user with 100,000 links takes 10 seconds.
	longestWrite = time.Minute
	// testWriteTimeout is how long a test waits for the writes before it.
	testWriteTimeout = time.Second
)

// status returns what is wrong with the file, and whether a write would tell nothing new.
func (h *sqliteHealth) status() (known bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	running := !h.began.IsZero()
	switch {
	case h.damage != nil:
		return true, fmt.Errorf("%w: the database file is damaged: %w", waymark.ErrUnavailable, h.damage)
	case running && time.Since(h.began) > longestWrite:
		return true, fmt.Errorf("%w: a write to the database has not ended for %s", waymark.ErrUnavailable, longestWrite)
	case h.writeError != nil:
		err = fmt.Errorf("%w: the database cannot be written: %w", waymark.ErrUnavailable, h.writeError)
	}
	return running || time.Since(h.written) < knownFor, err
}

// check returns waymark.ErrUnavailable if the database is damaged or cannot be written. If the last write was a while
// ago, it writes the first page of the file again. Long writes of others make nothing unavailable.
func (w *batchWriter) check(ctx context.Context) error {
	if known, err := w.health.status(); known {
		return err
	}
	result := make(chan error, 1)
	go func() { result <- w.writeTx(ctx, writeFirstPage) }()
	var testErr error
	select {
	case testErr = <-result:
	case <-time.After(testWriteTimeout):
	}
	if _, err := w.health.status(); err != nil {
		return err
	}
	return testErr
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
