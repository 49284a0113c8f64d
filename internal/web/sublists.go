package web

import (
	"context"

	"waymark/internal/service"
	"waymark/internal/web/page"
)

// sortSublists sorts the lists in a list by name.
func sortSublists(r *page.Request) error {
	list, err := ownList(r)
	if err != nil {
		return err
	}
	undo, err := withUndo(r, func(ctx context.Context, s *service.Service) error { return s.SortSublists(ctx, r.User, list.ID) })
	if err != nil {
		return err
	}
	back := listPath(list.ID)
	return r.Changed(back, page.Toast{Text: r.T("labels.sublists-sorted", "name", cut(list.Name, maxQuoted)), Undo: undo, Back: back})
}

// includeSublists remembers whether the page of a list shows the links of its sublists.
func includeSublists(r *page.Request) error {
	list, err := visibleList(r)
	if err != nil {
		return err
	}
	if err := r.ParseForm(); err != nil {
		return err
	}
	rememberList(r, withoutCookie, list.ID, r.Field("include") == "0")
	return r.Redirect(listPath(list.ID))
}
