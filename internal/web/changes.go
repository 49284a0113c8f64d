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
func withUndo(r *page.Request, do func(ctx context.Context, s *service.Service) error) (token string, err error) {
	return withUndoOptions(r, service.UndoOptions{}, do)
}

func withUndoOptions(r *page.Request, o service.UndoOptions, do func(ctx context.Context, s *service.Service) error) (string, error) {
	o.User, o.Session = r.User, r.Session.ID
	undo, err := r.Service.WithUndo(r.Context(), o, do)
	return undo.Token, err
}

func linkPath(id waymark.LinkID) string { return fmt.Sprintf("/links/%d", id) }

// checksLinks reports whether links of the user are checked.
func checksLinks(r *page.Request) bool { return r.Crawler.ChecksLinks() && !r.Settings.NoChecks }
