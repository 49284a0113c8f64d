package database

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// defaultCheckWait is about the time in which a file with 400,000 links is checked. A server
// with a million links starts within a second.
const defaultCheckWait = 500 * time.Millisecond

// fileCheck checks the structure of a SQLite file for damage.
type fileCheck struct {
	file  string
	limit time.Duration // the maximum time of a check; 0 for no check
	log   *slog.Logger
	ended bool // the whole file was checked

	finishing sync.Mutex
	finished  bool // finish has run
}

// run checks the file, unless the whole of it was checked already. It stops after a time limit.
// It returns an error for the operator if the file is damaged.
func (c *fileCheck) run(ctx context.Context, q Querier, limit time.Duration) error {
	if c.ended || limit <= 0 {
		return nil
	}
	began := time.Now()
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	found, err := QueryOne(limited, q, ScanValue[string], "PRAGMA quick_check(1)")
	switch {
	case isDamage(err):
		found = err.Error()
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return nil
	case err != nil:
		return fmt.Errorf("check %s: %w", c.file, err)
	}
	c.ended = true
	if found == "ok" {
		c.log.Debug("no damage found in the database", "duration", time.Since(began))
		return nil
	}
	return damageError{c.file, found}
}

// finish runs a check that has not ended, once, and reports damage to health.
func (c *fileCheck) finish(ctx context.Context, q Querier, health *sqliteHealth) error {
	c.finishing.Lock()
	defer c.finishing.Unlock()
	if c.finished {
		return nil
	}
	err := c.run(ctx, q, c.limit)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	c.finished = true
	var damage damageError
	switch {
	case errors.As(err, &damage):
		health.report(errors.New(damage.found))
		return nil
	case err != nil:
		return err
	case !c.ended && c.limit > 0:
		c.log.Info("the database is large: only a part of it was checked for damage at the start", "limit", c.limit, "advice", "waymark doctor checks all of it")
	}
	return nil
}

// damageError is what the check found in a file.
type damageError struct{ file, found string }

func (e damageError) Error() string {
	return fmt.Sprintf("the database file %s is damaged (%s): %s. With --start-check 0s the server starts if the damaged pages are not needed for it", e.file, e.found, DamageAdvice)
}
