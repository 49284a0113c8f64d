package query

import "waymark/internal/database"

// NewDialect returns the dialect of a database system.
func NewDialect(kind database.Kind) *Dialect {
	if kind == database.PostgreSQL {
		return &postgresDialect
	}
	return &sqliteDialect
}
