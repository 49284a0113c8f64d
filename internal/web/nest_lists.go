package web

import (
	"context"
	"slices"

	"waymark/internal/service"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// nestLists makes a tree of the lists whose names are paths.
func nestLists(r *page.Request) error {
	var moved int
	undo, err := withUndoOptions(r, service.UndoOptions{Bulk: true}, func(ctx context.Context, s *service.Service) (err error) {
		moved, err = s.NestLists(ctx, r.User)
		return err
	})
	if err != nil {
		return err
	}
	return r.Changed("/lists", page.Toast{Text: r.T("lists.nested", "n", moved), Undo: undo, Back: "/lists"})
}

// hasPaths reports whether names of the user's own lists are paths. It looks at the first few that could be.
func hasPaths(r *page.Request) (bool, error) {
	filter := waymark.LabelFilter{Owner: r.User.ID, Name: waymark.FolderSeparator}
	found, err := r.Store.SearchLists(r.Context(), r.User.ID, filter, byName, waymark.Pagination{Limit: 100})
	return slices.ContainsFunc(found.Entities, service.IsPath), err
}
