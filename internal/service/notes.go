package service

import (
	"context"
	"errors"

	"waymark/internal/waymark"
)

// AddNote adds a note of author to a link, which can be another user's. It returns
// waymark.ErrForbidden if author may not see the link.
func (s *Service) AddNote(ctx context.Context, author waymark.User, link waymark.LinkID, in waymark.NoteInput) (waymark.Note, error) {
	note, err := waymark.NewNote(author, link, in)
	if problems, ok := errors.AsType[*waymark.ValidationError](err); ok {
		// Check the link nevertheless, so that one response names all problems.
		err := s.Store.CheckLink(ctx, author.ID, link)
		switch {
		case errors.Is(err, waymark.ErrNotFound):
			problems.Problems = append(problems.Problems, waymark.Problem{Field: waymark.FieldLink, Rule: waymark.RuleExists})
		case err != nil:
			return note, err
		}
		return note, problems
	}
	note, err = s.Store.CreateNote(ctx, note)
	if errors.Is(err, waymark.ErrNotFound) {
		return note, waymark.Invalid(waymark.FieldLink, waymark.RuleExists)
	}
	return note, err
}

// EditNote changes a note.
func (s *Service) EditNote(ctx context.Context, editor waymark.User, id waymark.NoteID, in waymark.NoteInput) (waymark.Note, error) {
	return s.Store.ChangeNote(ctx, id, func(note *waymark.Note) error {
		if err := editor.MayWrite(waymark.Target{Kind: waymark.Notes, Owner: note.Owner}); err != nil {
			return err
		}
		return in.Apply(note)
	})
}
