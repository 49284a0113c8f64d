package waymark

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The few kinds of errors a caller may act on. Any other error is our own fault
// or the machine's.
var (
	// ErrNotFound means that no such entry exists, or that it is in the trash.
	ErrNotFound = errors.New("not found")
	// ErrForbidden means that the entry exists, but is not this person's.
	ErrForbidden = errors.New("not allowed")
	// ErrConflict means that a unique value is taken already.
	ErrConflict = errors.New("already exists")
	// ErrUnavailable means that the store cannot serve just now (no room on the
	// disk, no connection) and that trying again later may help.
	ErrUnavailable = errors.New("not available at the moment")
)

// ConflictError is an ErrConflict that tells which of several entries cannot be
// kept: their places in what was sent, from 0.
type ConflictError struct {
	Indexes []int
}

// Error names the places.
func (e *ConflictError) Error() string { return fmt.Sprintf("%v: entries %v", ErrConflict, e.Indexes) }

// Is makes a ConflictError an ErrConflict.
func (e *ConflictError) Is(target error) bool { return target == ErrConflict }

// Problem is one broken rule: the field, as clients name it, and a sentence
// meant for the sender.
type Problem struct {
	Field    string
	Sentence string
}

// ValidationError names every field that breaks a rule, in the order in which the
// rules were looked at.
type ValidationError struct {
	Problems []Problem
}

// Invalid returns an ValidationError with a single problem.
func Invalid(field, format string, args ...any) *ValidationError {
	e := &ValidationError{}
	e.Add(field, format, args...)
	return e
}

// Add notes one more broken rule.
func (e *ValidationError) Add(field, format string, args ...any) {
	e.Problems = append(e.Problems, Problem{field, fmt.Sprintf(format, args...)})
}

// Has tells whether a problem of that field is noted already.
func (e *ValidationError) Has(field string) bool {
	for _, p := range e.Problems {
		if p.Field == field {
			return true
		}
	}
	return false
}

// Unreadable are the problems of what somebody says that a door has found already,
// such as a number where a text belongs. They come out together with the rest, so
// that one answer names every mistake.
type Unreadable []Problem

func (u Unreadable) problems() *ValidationError { return &ValidationError{Problems: slices.Clone(u)} }

// Merge adds the problems of err, each field with the prefix before it
// ("models.0."), where err is an ValidationError. Any other error comes back.
func (e *ValidationError) Merge(prefix string, err error) error {
	var other *ValidationError
	if !errors.As(err, &other) {
		return err
	}
	for _, p := range other.Problems {
		e.Problems = append(e.Problems, Problem{prefix + p.Field, p.Sentence})
	}
	return nil
}

// Err returns e as an error, or nil where no rule is broken.
func (e *ValidationError) Err() error {
	if len(e.Problems) == 0 {
		return nil
	}
	return e
}

// Error returns the first sentence and how many more there are.
func (e *ValidationError) Error() string {
	var b strings.Builder
	if len(e.Problems) > 0 {
		b.WriteString(e.Problems[0].Sentence)
	}
	switch more := len(e.Problems) - 1; {
	case more == 1:
		b.WriteString(" (and 1 more error)")
	case more > 1:
		fmt.Fprintf(&b, " (and %d more errors)", more)
	}
	return b.String()
}
