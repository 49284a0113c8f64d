// Package accounts stores users with their settings and saved searches, and what they sign in with:
// passwords, sessions, API keys, one-time tokens and the tokens of feeds. It also has the audit events.
// Package store removes a user, because that deletes or transfers entities.
package accounts

import (
	"waymark/internal/database"
	"waymark/internal/waymark"
)

// Store reads and writes the accounts of a database.
type Store struct {
	db  *database.DB
	now func() waymark.Time
}

// New returns the accounts of a database.
func New(db *database.DB, now func() waymark.Time) *Store { return &Store{db: db, now: now} }
