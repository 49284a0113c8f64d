package web

import (
	"context"

	"waymark/internal/service"
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
