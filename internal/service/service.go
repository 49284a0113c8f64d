// Package service is what a person can do with a collection: add, edit, file,
// trash, import; and what an operator can do with users and keys. It holds the
// rules that need the store. Every door, the command line included, makes its
// changes here, so that the rules have one home; questions go to the store.
package service

import (
	"errors"
	"fmt"
	"time"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// Service makes changes to the collection in a store.
type Service struct {
	store  *store.Store
	keyUse keyUsage

	// Now is the clock.
	Now func() waymark.Time
}

// New returns the library over a store, which stays the caller's to close.
func New(db *store.Store) *Service {
	return &Service{store: db, Now: func() waymark.Time { return waymark.FromTime(time.Now()) }}
}

// fieldName is how a field of the i-th of the entries that were sent is named.
type fieldName func(i int, field string) string

func single(_ int, field string) string { return field }

func oneOfMany(i int, field string) string { return fmt.Sprintf("models.%d.%s", i, field) }

const alreadyTaken = "The %s has already been taken."

// conflictToValidation turns a conflict over a unique field into broken rules about it.
func conflictToValidation(err error, field string, name fieldName) error {
	if !errors.Is(err, waymark.ErrConflict) {
		return err
	}
	at := []int{0}
	var several *waymark.ConflictError
	if errors.As(err, &several) {
		at = several.Indexes
	}
	problems := &waymark.ValidationError{}
	for _, i := range at {
		problems.Add(name(i, field), alreadyTaken, field)
	}
	return problems
}

// appendDuplicates adds to the mistakes that err names the places where a unique field is
// taken, so that one answer names them all.
func appendDuplicates(err error, field string, name fieldName, find func() ([]int, error)) error {
	var problems *waymark.ValidationError
	if !errors.As(err, &problems) {
		return err
	}
	at, err := find()
	if err != nil {
		return err
	}
	wrong := make(map[string]bool, len(problems.Problems))
	for _, p := range problems.Problems {
		wrong[p.Field] = true
	}
	for _, i := range at {
		if !wrong[name(i, field)] { // what is no address is not taken
			problems.Add(name(i, field), alreadyTaken, field)
		}
	}
	return problems
}
