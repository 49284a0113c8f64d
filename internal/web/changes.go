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

func linkPath(id waymark.LinkID) string { return fmt.Sprintf("/links/%d", id) }

// checksLinks reports whether links of the user are checked.
func checksLinks(r *page.Request) bool { return r.Crawler.ChecksLinks() && !r.Settings.NoChecks }
