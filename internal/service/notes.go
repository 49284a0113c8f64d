package service

import (
	"context"
	"errors"

	"waymark/internal/fetch/article"
	"waymark/internal/waymark"
)

// AddNote adds a note of author to a link, which can be another user's. It returns
// waymark.ErrForbidden if author may not see the link.
func (s *Service) AddNote(ctx context.Context, author waymark.User, link waymark.LinkID, in waymark.NoteInput) (waymark.Note, error) {
	note, err := waymark.NewNote(author, link, in)
	if problems, ok := errors.AsType[*waymark.ValidationError](err); ok {
		// Check the link nevertheless, so that one response names all problems.
		err := s.CheckLink(ctx, author.ID, link)
		switch {
		case errors.Is(err, waymark.ErrNotFound):
			problems.Problems = append(problems.Problems, waymark.Problem{Field: waymark.FieldLink, Rule: waymark.RuleExists})
		case err != nil:
			return note, err
		}
		return note, problems
	}
	note, err = s.CreateNote(ctx, note)
	if errors.Is(err, waymark.ErrNotFound) {
		return note, waymark.Invalid(waymark.FieldLink, waymark.RuleExists)
	}
	return note, err
}

// EditNote changes a note.
func (s *Service) EditNote(ctx context.Context, editor waymark.User, id waymark.NoteID, in waymark.NoteInput) (waymark.Note, error) {
	return s.ChangeNote(ctx, id, func(note *waymark.Note) error {
		if err := editor.MayWrite(waymark.Target{Kind: waymark.Notes, Owner: note.Owner}); err != nil {
			return err
		}
		return in.Apply(note)
	})
}

// AddPassage marks a text in a link, which can be another user's. What is missing of the quote is filled from the text
// snapshot. It returns waymark.ErrForbidden if the user may not see the link.
func (s *Service) AddPassage(ctx context.Context, user waymark.User, link waymark.LinkID, in waymark.PassageInput) (waymark.Passage, error) {
	if err := s.CheckLink(ctx, user.ID, link); err != nil {
		return waymark.Passage{}, err
	}
	passage, err := waymark.NewPassage(user.ID, link, in)
	if err != nil {
		return passage, err
	}
	_, html, err := s.Snapshots.TextHTML(ctx, user.ID, link)
	if err != nil && !errors.Is(err, waymark.ErrNotFound) {
		return passage, err
	}
	passage.Quote, _ = article.Complete(html, passage.Quote)
	return s.CreatePassage(ctx, passage)
}

// EditPassage changes the note of a user's passage on a link.
func (s *Service) EditPassage(ctx context.Context, user waymark.User, link waymark.LinkID, id waymark.PassageID, in waymark.PassageInput) (waymark.Passage, error) {
	return s.ChangePassage(ctx, user.ID, link, id, in.Apply)
}
