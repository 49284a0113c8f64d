package store

import (
	"context"
	"database/sql"

	"waymark/internal/database"
)

// Summary describes the database for administrators.
type Summary struct {
	Database     string // such as "SQLite 3.54.1"
	Size         int64  // in bytes
	Users, Links int    // links without the trash
}

// Summary returns the summary of the database.
func (s *Store) Summary(ctx context.Context) (Summary, error) {
	version, size, name := "sqlite_version()", "(SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size())", "SQLite "
	if s.db.Kind() == database.PostgreSQL {
		version, size, name = "current_setting('server_version')", "pg_database_size(current_database())", "PostgreSQL "
	}
	scan := func(rows *sql.Rows, into *Summary) error {
		return rows.Scan(&into.Database, &into.Size, &into.Users, &into.Links)
	}
	summary, err := database.QueryOne(ctx, s.db.Querier(), scan, `
		SELECT `+version+`, `+size+`, (SELECT COUNT(*) FROM users), (
			SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT)
			FROM counters
			WHERE entity = 'links')`)
	summary.Database = name + summary.Database
	return summary, err
}
