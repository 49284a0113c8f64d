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
}

// run checks the file for at most a time, unless it was checked already. It returns an error
// for the operator if the file is damaged.
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

// goOn checks the file in the background if the check has not ended, and reports damage to
// health. The function that it returns ends the check.
func (c *fileCheck) goOn(q Querier, health *sqliteHealth) (stop func() error) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		err := c.run(ctx, q, c.limit)
		var damage damageError
		switch {
		case ctx.Err() != nil:
		case errors.As(err, &damage):
			health.report(errors.New(damage.found))
		case err != nil:
			c.log.Error("the database could not be checked for damage", "error", err)
		case !c.ended && c.limit > 0:
			c.log.Info("the database is large: only a part of it was checked for damage at the start", "limit", c.limit, "advice", "waymark doctor checks all of it")
		}
	})
	return func() error {
		cancel()
		running.Wait()
		return nil
	}
}

// damageError is what the check found in a file.
type damageError struct{ file, found string }

func (e damageError) Error() string {
	return fmt.Sprintf("the database file %s is damaged (%s): %s. With --start-check 0s the server starts nevertheless", e.file, e.found, DamageAdvice)
}
