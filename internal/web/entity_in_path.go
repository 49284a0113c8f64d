package web

import (
	"context"
	"errors"

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

// mayEdit returns err, or waymark.ErrForbidden if the user may not edit what owner has.
func mayEdit(r *page.Request, owner waymark.UserID, err error) error {
	if err == nil && !r.User.ID.MayEdit(owner) {
		return waymark.ErrForbidden
	}
	return err
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
	link, err := entityInPath(r, r.Store.Link)
	if errors.Is(err, waymark.ErrNotFound) {
		if link, err = entityInPath(r, r.Store.TrashedLink); err == nil {
			err = page.ErrTrashed
		}
	}
	return link, mayEdit(r, link.Owner, err)
}
