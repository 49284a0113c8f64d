package web

import (
	"context"
	"fmt"

	"waymark/internal/service"
	"waymark/internal/waymark"
)

// withUndo calls do, and returns the token with which the user can undo its changes, ""
// if they cannot. do may run more than once.
func withUndo(v *visit, do func(ctx context.Context, s *service.Service) error) (token string, err error) {
	return withUndoOptions(v, service.UndoOptions{}, do)
}

func withUndoOptions(v *visit, o service.UndoOptions, do func(ctx context.Context, s *service.Service) error) (string, error) {
	o.User, o.Session = v.user, v.session.ID
	undo, err := v.Service.WithUndo(v.ctx(), o, do)
	return undo.Token, err
}

// linkPath returns the path of the page of a link.
func linkPath(id waymark.LinkID) string { return fmt.Sprintf("/links/%d", id) }
