package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"waymark/internal/service"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// saveNote adds a note to a link.
func saveNote(r *page.Request, link waymark.LinkID) error {
	if err := r.Store.CheckLink(r.Context(), r.User.ID, link); err != nil {
		return err
	}
	form, in := readNoteForm(r)
	_, undo, err := undoableChange(r, false, func(ctx context.Context, s *service.Service) (waymark.Note, error) {
		return s.AddNote(ctx, r.User, link, in)
	})
	if err != nil {
		if form.Problems, err = r.ProblemsOf(err); err != nil {
			return err
		}
		return renderLink(r, http.StatusUnprocessableEntity, link, nil, form)
	}
	p := backToLink(r, link)
	return showChangedLink(r, link, p, page.Toast{Text: r.T("notes.saved"), Undo: undo, Back: p})
}

// readNoteForm returns the form that was sent.
func readNoteForm(r *page.Request) (noteForm, waymark.NoteInput) {
	form := noteForm{Text: textArea(r.Field("text")), Visibility: r.Field("visibility"), Back: r.Back("")}
	return form, waymark.NoteInput{Text: form.Text, VisibilityInput: visibilityInput(form.Visibility), Version: r.Field("version")}
}

func showNoteEdit(r *page.Request, note waymark.Note) error {
	query := r.Parameters // what was sent before the user had to sign in again
	return r.Render("note-form", noteForm{
		ID: note.ID, Link: note.Link, Text: cmp.Or(query.Get("text"), note.Text), Visibility: cmp.Or(query.Get("visibility"), note.Visibility.String()),
		Version: cmp.Or(query.Get("version"), note.UpdatedAt.String()), Back: r.Back(""),
	})
}

// saveNoteEdit changes a note.
func saveNoteEdit(r *page.Request, note waymark.Note) error {
	form, in := readNoteForm(r)
	form.ID, form.Link = note.ID, note.Link
	_, undo, err := undoableChange(r, false, func(ctx context.Context, s *service.Service) (waymark.Note, error) {
		return s.EditNote(ctx, r.User, note.ID, in)
	})
	if err != nil {
		form.Version = r.VersionAfter(err)
		if form.Problems, err = r.ProblemsOf(err); err != nil {
			return err
		}
		return r.RenderStatus(http.StatusUnprocessableEntity, "note-form", form)
	}
	p := backToLink(r, note.Link)
	return r.Changed(fmt.Sprintf("%s#note-%d", p, note.ID), page.Toast{Text: r.T("notes.changed"), Undo: undo, Back: p})
}

func trashNote(r *page.Request, note waymark.Note) error {
	undo, err := withUndo(r, func(ctx context.Context, s *service.Service) error {
		return s.Delete(ctx, r.User, waymark.Notes, int64(note.ID))
	})
	if err != nil {
		return err
	}
	p := backToLink(r, note.Link)
	return r.Changed(p, page.Toast{Text: r.T("notes.trashed"), Undo: undo, Back: p})
}
