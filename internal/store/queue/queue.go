// Package queue has the jobs that the server runs on links: the pages to be fetched, the links to be
// checked and what checks have found, and when the next request to a host may be sent. Several servers
// can share the queues of one database.
package queue

import (
	"waymark/internal/database"
	"waymark/internal/waymark"
)

// Store reads and writes the queues of a database.
type Store struct {
	db    *database.DB
	now   func() waymark.Time
	fetch waymark.FetchPolicy
}

// New returns the queues of a database. fetch says which pages of new and changed links are added.
func New(db *database.DB, now func() waymark.Time, fetch waymark.FetchPolicy) *Store {
	return &Store{db: db, now: now, fetch: fetch}
}
