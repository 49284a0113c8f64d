package web

import (
	"context"
	"errors"
	"net/http"

	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// entityInPath returns the entity with the id in the path, if the viewer sees it.
func entityInPath[ID waymark.ID, T any](r *page.Request, find func(context.Context, waymark.UserID, ID) (T, error)) (T, error) {
	id, err := page.PathID[ID](r)
	if err != nil {
		var none T
		return none, err
	}
	return find(r.Context(), r.Viewer(), id)
}

func visibleList(r *page.Request) (waymark.List, error) { return entityInPath(r, r.Store.List) }

func visibleTag(r *page.Request) (waymark.Tag, error) { return entityInPath(r, r.Store.Tag) }

func visibleLink(r *page.Request) (waymark.Link, error) { return entityInPath(r, r.Store.Link) }

// mayEdit returns err, or else an error if the user may not edit what owner has: there is no page for that, and no change.
func mayEdit(r *page.Request, owner waymark.UserID, err error) error {
	switch {
	case err != nil || r.User.ID.MayEdit(owner):
		return err
	case r.HTTP.Method == http.MethodPost:
		return page.ErrNotYours
	}
	return waymark.ErrForbidden
}

// ofVisible returns a function for an entity that the user sees. It need not hide that there is one.
func ofVisible[T any](do func(*page.Request, T) error) func(*page.Request, T) error {
	return func(r *page.Request, entity T) error {
		err := do(r, entity)
		if errors.Is(err, waymark.ErrForbidden) {
			return page.ErrNotYours
		}
		return err
	}
}

// editableList returns the list in the path, whose links and sublists the user must be able to change.
func editableList(r *page.Request) (waymark.List, error) {
	list, err := entityInPath(r, r.Store.List)
	if err == nil && !list.CanEdit {
		err = page.ErrNotYours
	}
	return list, err
}

// ownList returns the list in the path, which must be one that the user may edit.
func ownList(r *page.Request) (waymark.List, error) {
	list, err := entityInPath(r, r.Store.List)
	return list, mayEdit(r, list.Owner, err)
}

// ownTag is ownList for a tag.
func ownTag(r *page.Request) (waymark.Tag, error) {
	tag, err := entityInPath(r, r.Store.Tag)
	return tag, mayEdit(r, tag.Owner, err)
}

// ownNote is ownList for a note.
func ownNote(r *page.Request) (waymark.Note, error) {
	note, err := entityInPath(r, r.Store.Note)
	return note, mayEdit(r, note.Owner, err)
}

// ownLink is ownList for a link. If the link is in the user's trash, the error is page.ErrTrashed.
func ownLink(r *page.Request) (waymark.Link, error) {
	link, err := editedLink(r)
	return link, mayEdit(r, link.Owner, err)
}

// editedLink is ownLink for a link that others may edit: the service decides who.
func editedLink(r *page.Request) (waymark.Link, error) {
	link, err := entityInPath(r, r.Store.Link)
	if errors.Is(err, waymark.ErrNotFound) {
		if link, err = entityInPath(r, r.Store.TrashedLink); err == nil {
			err = page.ErrTrashed
		}
	}
	return link, err
}
