// Package service implements the use cases of a collection: users add, edit, delete and restore links,
// lists, tags, notes and saved searches. It holds the rules that need the store. Reads go from the
// interfaces to the store.
package service

import (
	"context"
	"errors"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// Service runs the use cases on a store. The writes of the store whose only rule is who may write are use cases, too.
type Service struct{ *store.Store }

// New returns a Service on s. The caller closes the store.
func New(s *store.Store) *Service {
	return &Service{s}
}

// newDrafts applies newDraft to each input. Its ValidationError has all their problems.
func newDrafts[In, Draft any](inputs []In, newDraft func(In) (Draft, error)) ([]Draft, error) {
	problems := &waymark.ValidationError{}
	drafts := make([]Draft, len(inputs))
	for i, in := range inputs {
		var err error
		if drafts[i], err = newDraft(in); err != nil {
			if err := problems.Merge(i, err); err != nil {
				return nil, err
			}
		}
	}
	return drafts, problems.Err()
}

// conflictToValidation converts a conflict over a unique field into a ValidationError.
func conflictToValidation(err error, field waymark.Field) error {
	if !errors.Is(err, waymark.ErrConflict) {
		return err
	}
	indexes := []int{0}
	if conflict, ok := errors.AsType[*waymark.ConflictError](err); ok {
		indexes = conflict.Indexes
	}
	problems := &waymark.ValidationError{}
	for _, i := range indexes {
		problems.Problems = append(problems.Problems, waymark.Problem{Field: field, Index: i, Rule: waymark.RuleUnique})
	}
	return problems
}

// appendProblems adds to a ValidationError a problem for each input whose field breaks a rule that
// only the store can check, so that one response names all problems. find returns the positions of
// these inputs. Other errors are returned as they are.
func appendProblems(err error, field waymark.Field, rule waymark.Rule, find func() (indexes []int, err error)) error {
	problems, ok := errors.AsType[*waymark.ValidationError](err)
	if !ok {
		return err
	}
	indexes, err := find()
	if err != nil {
		return err
	}
	invalid := make(map[int]bool, len(problems.Problems))
	for _, p := range problems.Problems {
		if p.Field == field {
			invalid[p.Index] = true
		}
	}
	for _, i := range indexes {
		if !invalid[i] { // else the field has a problem already
			problems.Problems = append(problems.Problems, waymark.Problem{Field: field, Index: i, Rule: rule})
		}
	}
	return problems
}

// errDryRun ends the transaction of DryRun.
var errDryRun = errors.New("dry run")

// DryRun returns the error of do, and undoes what do has changed through its Service: all of it is one transaction,
// which is not committed.
func (s *Service) DryRun(ctx context.Context, user waymark.User, do func(ctx context.Context, s *Service) error) error {
	err := s.InTransaction(ctx, user.ID, func(ctx context.Context, tx *store.Store) error {
		if err := do(ctx, s.within(tx)); err != nil {
			return err
		}
		return errDryRun
	})
	if errors.Is(err, errDryRun) {
		return nil
	}
	return err
}
