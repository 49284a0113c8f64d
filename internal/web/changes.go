package web

import (
	"context"
	"fmt"

	"waymark/internal/service"
	"waymark/internal/waymark"
	"waymark/internal/web/page"
)

// withUndo calls do, and returns the token with which the user can undo its changes, ""
// if they cannot. do may run more than once.
func withUndo(r *page.Request, do func(context.Context, *service.Service) error) (token string, err error) {
	_, token, err = undoableChange(r, false, func(ctx context.Context, s *service.Service) (struct{}, error) { return struct{}{}, do(ctx, s) })
	return token, err
}

// undoableChange is withUndo for a change with a result. bulk says that it changes many entities.
func undoableChange[T any](r *page.Request, bulk bool, do func(context.Context, *service.Service) (T, error)) (result T, token string, err error) {
	options := service.UndoOptions{User: r.User, Session: r.Session.ID, Bulk: bulk}
	undo, err := r.Service.WithUndo(r.Context(), options, func(ctx context.Context, s *service.Service) (err error) {
		result, err = do(ctx, s)
		return err
	})
	return result, undo.Token, err
}

// makeChange makes a change, and leads to the page at path with the message that do returns. From there, the user can undo
// the change. do may run more than once. bulk says that it changes many entities.
func makeChange(r *page.Request, path string, bulk bool, do func(context.Context, *service.Service) (message string, err error)) error {
	message, undo, err := undoableChange(r, bulk, do)
	if err != nil {
		return r.NotChanged(path, err)
	}
	return r.Changed(path, page.Toast{Text: message, Undo: undo, Back: path})
}

func linkPath(id waymark.LinkID) string { return fmt.Sprintf("/links/%d", id) }

func checksLinks(r *page.Request) bool { return r.Crawler.ChecksLinks() && !r.Settings.NoChecks }
