package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"waymark/internal/service"
	"waymark/internal/waymark"
)

// noteForm is the form for a new or an existing note, as it was filled in.
type noteForm struct {
	ID         waymark.NoteID // zero for a new note
	Link       waymark.LinkID
	Text       string
	Visibility string
	Version    string // when the note was changed the last time, "" for a new note
	Back       string // the page from which people came to the page of the link, "" if it is not known
	Problems   problems
}

// saveNote adds a note to a link.
func saveNote(v *visit) error {
	link, err := pathID[waymark.LinkID](v)
	if err != nil {
		return err
	}
	if err := v.Store.CheckLink(v.ctx(), v.user.ID, link); err != nil {
		return err
	}
	form, in, err := readNoteForm(v)
	if err != nil {
		return err
	}
	undo, err := withUndo(v, func(ctx context.Context, s *service.Service) error {
		_, err := s.AddNote(ctx, v.user, link, in)
		return err
	})
	if err != nil {
		if form.Problems, err = noteProblems(v, err); err != nil {
			return err
		}
		return renderLink(v, http.StatusUnprocessableEntity, link, form)
	}
	page := backToLink(v, link)
	return v.changed(page, toast{Text: v.t("notes.saved"), Undo: undo, Back: page})
}

// readNoteForm returns the form that was sent.
func readNoteForm(v *visit) (noteForm, waymark.NoteInput, error) {
	if err := v.parseForm(); err != nil {
		return noteForm{}, waymark.NoteInput{}, err
	}
	form := noteForm{Text: textArea(v.field("text")), Visibility: v.field("visibility"), Back: v.back("")}
	return form, waymark.NoteInput{Text: form.Text, VisibilityInput: visibilityInput(form.Visibility), Version: v.field("version")}, nil
}

func noteProblems(v *visit, err error) (problems, error) {
	return v.problemsOf(err, func(string) string { return "" })
}

// showNoteEdit shows the form for a note.
func showNoteEdit(v *visit) error {
	note, err := ownNote(v)
	if err != nil {
		return err
	}
	query := v.parameters // what was sent before the user had to sign in again
	return v.render("note-form", noteForm{
		ID: note.ID, Link: note.Link, Text: cmp.Or(query.Get("text"), note.Text), Visibility: cmp.Or(query.Get("visibility"), note.Visibility.String()),
		Version: cmp.Or(query.Get("version"), note.UpdatedAt.String()), Back: v.back(""),
	})
}

// ownNote returns the note in the path, which must be one that the user may edit.
func ownNote(v *visit) (waymark.Note, error) {
	id, err := pathID[waymark.NoteID](v)
	if err != nil {
		return waymark.Note{}, err
	}
	note, err := v.Store.Note(v.ctx(), v.user.ID, id)
	if err == nil && !v.user.ID.MayEdit(note.Owner) {
		err = waymark.ErrForbidden
	}
	return note, err
}

// saveNoteEdit changes a note.
func saveNoteEdit(v *visit) error {
	note, err := ownNote(v)
	if err != nil {
		return err
	}
	form, in, err := readNoteForm(v)
	if err != nil {
		return err
	}
	form.ID, form.Link = note.ID, note.Link
	undo, err := withUndo(v, func(ctx context.Context, s *service.Service) error {
		_, err := s.EditNote(ctx, v.user, note.ID, in)
		return err
	})
	if err != nil {
		form.Version = v.versionAfter(err)
		if form.Problems, err = noteProblems(v, err); err != nil {
			return err
		}
		return v.renderStatus(http.StatusUnprocessableEntity, "note-form", form)
	}
	page := backToLink(v, note.Link)
	return v.changed(fmt.Sprintf("%s#note-%d", page, note.ID), toast{Text: v.t("notes.changed"), Undo: undo, Back: page})
}

// trashNote moves a note to the trash.
func trashNote(v *visit) error {
	note, err := ownNote(v)
	if err != nil {
		return err
	}
	if err := v.parseForm(); err != nil {
		return err
	}
	undo, err := withUndo(v, func(ctx context.Context, s *service.Service) error { return s.DeleteNote(ctx, v.user, note.ID) })
	if err != nil {
		return err
	}
	page := backToLink(v, note.Link)
	return v.changed(page, toast{Text: v.t("notes.trashed"), Undo: undo, Back: page})
}
