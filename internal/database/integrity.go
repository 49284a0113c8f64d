package database

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// CheckIntegrity returns the damage that the database finds, in the words of the database, and on SQLite, where
// other programs need not enforce foreign keys, the tables with rows that refer to missing rows.
// SQLite reads the whole file, which takes about 10 seconds for a million links. PostgreSQL
// only reports invalid indexes and constraints, and pages whose checksum was wrong when they
// were read.
func (db *DB) CheckIntegrity(ctx context.Context) (found []string, err error) {
	if db.Kind() == PostgreSQL {
		return QueryAll(ctx, db.Querier(), ScanValue[string], `
			SELECT 'index ' || indexrelid::regclass || ' is invalid'
			FROM pg_index
			WHERE NOT indisvalid AND indrelid IN (SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace)
			UNION ALL
			SELECT 'constraint ' || conname || ' is not validated'
			FROM pg_constraint
			WHERE NOT convalidated AND connamespace = current_schema()::regnamespace
			UNION ALL
			SELECT checksum_failures || ' pages had a wrong checksum'
			FROM pg_stat_database
			WHERE datname = current_database() AND checksum_failures > 0`)
	}
	found, err = sqliteDamage(ctx, db.Querier())
	if err != nil || len(found) > 0 {
		return found, err
	}
	found, err = sqlitePartialPage(ctx, db.Querier(), filepath.Join(db.dir, SQLiteFile))
	if err != nil || len(found) > 0 {
		return found, err
	}
	return QueryAll(ctx, db.Querier(), ScanValue[string], `
		SELECT count(*) || ' rows of ' || "table" || ' refer to missing rows of ' || parent
		FROM pragma_foreign_key_check()
		GROUP BY "table", parent`)
}

// sqlitePartialPage reports a file that does not end with a whole page. SQLite reads zeros instead of
// the rest, and calls the page intact.
func sqlitePartialPage(ctx context.Context, q Querier, file string) (found []string, err error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	size, err := QueryOne(ctx, q, ScanValue[int64], "PRAGMA page_size")
	if err == nil && info.Size()%size != 0 {
		found = []string{fmt.Sprintf("the file was cut off: it has %d bytes, which is not a multiple of the page size %d", info.Size(), size)}
	}
	return found, err
}

// sqliteDamage returns the damage that SQLite finds, in its words.
func sqliteDamage(ctx context.Context, q Querier) (found []string, err error) {
	for line, err := range QueryEach(ctx, q, ScanValue[string], "PRAGMA integrity_check(20)") {
		switch {
		case isDamage(err):
			return append(found, err.Error()), nil
		case err != nil:
			return nil, err
		case line != "ok":
			found = append(found, line)
		}
	}
	return found, nil
}

// checkTime is the maximum time of checkFile, in which a file with 400,000 links is checked; of a larger one a part.
// `waymark doctor` checks all of it.
const checkTime = 500 * time.Millisecond

// checkFile checks the structure of a SQLite file for damage when a server opens it. It returns an error for the
// operator if it found damage.
func checkFile(ctx context.Context, q Querier, file string) error {
	limited, cancel := context.WithTimeout(ctx, checkTime)
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
