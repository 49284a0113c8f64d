package service

import (
	"context"

	"waymark/internal/waymark"
)

// PinList pins a list that the user sees to the sidebar of their pages, or unpins it.
func (s *Service) PinList(ctx context.Context, user waymark.User, id waymark.ListID, pinned bool) error {
	return s.store.PinList(ctx, user.ID, id, pinned)
}

// PinTag pins or unpins a tag, as PinList does a list.
func (s *Service) PinTag(ctx context.Context, user waymark.User, id waymark.TagID, pinned bool) error {
	return s.store.PinTag(ctx, user.ID, id, pinned)
}
