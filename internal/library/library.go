// Package library is what a person can do with a collection: add, edit, file,
// trash, import; and what an operator can do with users and keys. It holds the
// rules that need the store. Every door, the command line included, makes its
// changes here, so that the rules have one home; questions go to the store.
package library

import (
	"errors"
	"time"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// Library makes changes to the collection in a store.
type Library struct {
	store  *store.Store
	keyUse keyUse

	// Now is the clock.
	Now func() waymark.Time
}

// New returns the library over a store, which stays the caller's to close.
func New(s *store.Store) *Library {
	return &Library{store: s, Now: func() waymark.Time { return waymark.TimeOf(time.Now()) }}
}

// taken turns a conflict over a unique field into a broken rule about it.
func taken(err error, field string) error {
	if errors.Is(err, waymark.ErrConflict) {
		return waymark.Invalid(field, "The %s has already been taken.", field)
	}
	return err
}
