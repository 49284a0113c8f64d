package database

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"waymark/internal/waymark"
)

// sqliteHealth records whether the file of a SQLite database can be read and written, and logs when that changes.
type sqliteHealth struct {
	file   string
	opened fs.FileInfo // the file when it was opened
	log    *slog.Logger

	damage  atomic.Pointer[error] // the first error that shows damage of the file; it stays
	began   atomic.Int64          // when the running write began, in Unix nanoseconds; 0 if none runs
	written atomic.Int64          // when a write ended that has written something, in Unix nanoseconds; 0 after one that failed
	failing bool                  // the last write could not be written; of the writer
}

// healthDialect returns the dialect of SQLite. Of the errors that show damage, it records and logs the first one.
func healthDialect(h *sqliteHealth) *dialect {
	d := sqliteDialect
	d.mapDriverError = func(err error) error {
		if isDamage(err) && h.damage.CompareAndSwap(nil, &err) {
			h.log.Error("the database file is damaged", "file", h.file, "error", err, "advice", DamageAdvice)
		}
		return mapSQLiteError(err)
	}
	return &d
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

// wrote records the result of a write of some bytes. It logs an error if the write before it succeeded, and the other
// way round.
func (h *sqliteHealth) wrote(bytes int64, err error) {
	switch {
	case err != nil:
		h.written.Store(0)
	case bytes > 0:
		h.written.Store(time.Now().UnixNano())
	}
	switch failed := errors.Is(err, waymark.ErrUnavailable) || isDamage(err); {
	case failed && !h.failing:
		h.log.Error("the database cannot be written", "file", h.file, "error", err)
		h.failing = true
	case err == nil && h.failing && bytes > 0:
		h.log.Info("the database can be written again", "file", h.file)
		h.failing = false
	}
}
