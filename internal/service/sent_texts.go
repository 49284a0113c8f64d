package service

import (
	"context"

	"waymark/internal/waymark"
)

// KeepSent stores what a program has sent for fields of the user's links and lists: see store.Store.KeepSent.
func (s *Service) KeepSent(ctx context.Context, user waymark.User, texts ...waymark.SentText) error {
	return s.store.KeepSent(ctx, user.ID, texts...)
}
