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
	moved, undo, err := undoableChange(r, true, func(ctx context.Context, s *service.Service) (int, error) {
		return s.NestLists(ctx, r.User)
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
