// Package snapshots stores what is kept of the pages of links: text snapshots with the words that
// searches find, full snapshots, and pictures.
package snapshots

import (
	"sync/atomic"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// Store reads and writes the snapshots and pictures of a database.
type Store struct {
	db      *database.DB
	dialect *query.Dialect
	now     func() waymark.Time
	any     atomic.Bool // see Any
}

// New returns the snapshots of a database.
func New(db *database.DB, now func() waymark.Time) *Store {
	return &Store{db: db, dialect: query.NewDialect(db.Kind()), now: now}
}
