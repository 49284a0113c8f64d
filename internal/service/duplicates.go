package service

import (
	"context"

	"waymark/internal/auth"
	"waymark/internal/store"
	"waymark/internal/waymark"
)

// mergedGroups is how many groups one transaction of MergeExact merges, while other changes wait.
const mergedGroups = 500

// MergeExact merges all links of the user that have one waymark.URLKey, and returns how many went to the trash. They are
// several transactions, which one token undoes; after an error it undoes those before.
func (s *Service) MergeExact(ctx context.Context, o UndoOptions) (merged int, undo waymark.Undo, err error) {
	token, hash := auth.NewToken()
	r := store.UndoRequest{User: o.User.ID, Session: o.Session, APIKey: o.APIKey, Hash: hash, Bulk: true}
	after, more := int64(store.FirstDuplicate), true
	for more {
		var n int
		var last int64
		ok, err := s.Undoable(ctx, r, func(ctx context.Context, tx *store.Store) (err error) {
			n, last, more, err = tx.MergeExact(ctx, o.User.ID, after, mergedGroups)
			return err
		})
		if err != nil {
			return merged, undo, err
		}
		if after, merged = last, merged+n; ok {
			undo.Token = token
		}
	}
	return merged, undo, nil
}

// KeepTagsApart remembers that the user's own tags are not to be merged.
func (s *Service) KeepTagsApart(ctx context.Context, user waymark.User, tags []waymark.TagID) error {
	names := make([]string, len(tags))
	for i, id := range tags {
		tag, err := s.Tag(ctx, user.ID, id)
		if err == nil {
			err = user.MayWrite(waymark.Target{Kind: waymark.Tags, Owner: tag.Owner})
		}
		if err != nil {
			return err
		}
		names[i] = tag.Name
	}
	return s.Store.KeepTagsApart(ctx, user.ID, names)
}
