package web

import (
	"context"

	"waymark/internal/service"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// sortSublists sorts the lists in a list by name.
func sortSublists(r *page.Request, list waymark.List) error {
	undo, err := withUndo(r, func(ctx context.Context, s *service.Service) error { return s.SortSublists(ctx, r.User, list.ID) })
	if err != nil {
		return err
	}
	back := listPath(list.ID)
	return r.Changed(back, page.Toast{Text: r.T("labels.sublists-sorted", "name", page.Quoted(list.Name)), Undo: undo, Back: back})
}

// includeSublists remembers whether the page of a list shows the links of its sublists.
func includeSublists(r *page.Request, list waymark.List) error {
	rememberList(r, withoutCookie, list.ID, r.Field("include") == "0")
	return r.Redirect(listPath(list.ID))
}

// trashList moves a list to the trash. Its sublists take its place, or go with it. The message about the former offers
// the latter: that form has the token that undoes it.
func trashList(r *page.Request) error {
	if token := r.Field("undo"); token != "" {
		if _, err := r.Service.Undo(r.Context(), service.UndoOptions{User: r.User, Session: r.Session.ID}, token); err != nil {
			return err
		}
	}
	list, err := ownList(r)
	if err != nil {
		return err
	}
	_, sublists, err := r.Store.Sublists(r.Context(), r.User.ID, list.ID, 0)
	if err != nil {
		return err
	}
	alone := r.Field("sublists") == ""
	undo, err := withUndo(r, func(ctx context.Context, s *service.Service) error {
		if alone {
			return s.Delete(ctx, r.User, waymark.Lists, int64(list.ID))
		}
		_, err := s.DeleteWithSublists(ctx, r.User, []int64{int64(list.ID)})
		return err
	})
	if err != nil {
		return err
	}
	name := page.Quoted(list.Name)
	message := page.Toast{Text: r.T("labels.trashed", "name", name), Undo: undo, Back: listPath(list.ID)}
	if alone && sublists > 0 {
		message.Text = r.T("labels.trashed-lifted", "name", name, "n", sublists, "parent", page.Quoted(parentName(r, list)))
		message.Trash, message.Sublists = listPath(list.ID)+"/trash", sublists
	}
	return r.Changed("/lists", message)
}

// parentName returns the name of the list in which a list stands, or what the pages call the place outside all lists.
func parentName(r *page.Request, list waymark.List) string {
	if n := len(list.Path); n > 0 {
		return list.Path[n-1].Name
	}
	return r.T("place-lists.top")
}
