package database

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

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

// healthDialect returns the dialect of SQLite, whose errors are reported to health.
func healthDialect(health *sqliteHealth) *dialect {
	d := sqliteDialect
	d.mapDriverError = func(err error) error {
		health.observe(err)
		return mapSQLiteError(err)
	}
	return &d
}
