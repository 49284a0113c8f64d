package service

import (
	"context"
	"errors"

	"waymark/internal/waymark"
)

// AddNote puts a note on a link that author may see, their own or another's.
func (s *Service) AddNote(ctx context.Context, author waymark.User, link waymark.LinkID, in waymark.NoteInput) (waymark.Note, error) {
	const unknown = "The selected link id is invalid."
	note, err := waymark.NewNote(author, link, in)
	var problems *waymark.ValidationError
	if errors.As(err, &problems) {
		// The link is looked at all the same, so that one answer names every mistake.
		_, err := s.store.Link(ctx, author.ID, link)
		switch {
		case errors.Is(err, waymark.ErrNotFound) && !problems.Has("link_id"):
			problems.Add("link_id", unknown)
		case err != nil && !errors.Is(err, waymark.ErrNotFound):
			return note, err
		}
		return note, problems
	}
	note, err = s.store.CreateNote(ctx, note)
	if errors.Is(err, waymark.ErrNotFound) {
		return note, waymark.Invalid("link_id", unknown)
	}
	return note, err
}

// EditNote changes a note of the editor's own.
func (s *Service) EditNote(ctx context.Context, editor waymark.User, id waymark.NoteID, in waymark.NoteInput) (waymark.Note, error) {
	return s.store.ChangeNote(ctx, id, func(note *waymark.Note) error {
		if !editor.ID.MayEdit(note.Owner) {
			return waymark.ErrForbidden
		}
		return in.Apply(note)
	})
}
