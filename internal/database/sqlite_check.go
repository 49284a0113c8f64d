package database

import (
	"context"
	"fmt"
	"time"
)

// The maximum times of the checks for damage. In startCheck, a file with 400,000 links is checked;
// of a larger one a part. `waymark doctor` checks all of it.
const (
	startCheck     = 500 * time.Millisecond // when a server opens the file
	migrationCheck = 5 * time.Second        // before a migration
)

// checkFile checks the structure of a SQLite file for damage, for at most limit. It returns an error
// for the operator if it found damage.
func checkFile(ctx context.Context, q Querier, file string, limit time.Duration) error {
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
		return fmt.Errorf("check %s: %w", file, err)
	}
	if found != "ok" {
		return fmt.Errorf("the database file %s is damaged (%s): %s", file, found, DamageAdvice)
	}
	return nil
}
