package service

import (
	"context"

	"waymark/internal/store"
)

// Once calls do at most once for an idempotency key: see store.Store.Once. The changes that do
// makes through its Service are stored together with its response.
func (s *Service) Once(ctx context.Context, r store.OnceRequest, do func(ctx context.Context, s *Service) (store.Response, error)) (store.Response, error) {
	return s.store.Once(ctx, r, func(ctx context.Context, part *store.Store) (store.Response, error) {
		return do(ctx, s.within(part))
	})
}
