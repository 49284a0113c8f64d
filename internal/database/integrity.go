package database

import (
	"context"
	"strings"
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
	return QueryAll(ctx, db.Querier(), ScanValue[string], `
		SELECT count(*) || ' rows of ' || "table" || ' refer to missing rows of ' || parent
		FROM pragma_foreign_key_check()
		GROUP BY "table", parent`)
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
			// The first row has all damage of the pages, below a heading.
			found = append(found, strings.Split(strings.TrimPrefix(line, "*** in database main ***\n"), "\n")...)
		}
	}
	return found, nil
}
