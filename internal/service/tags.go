package service

import (
	"context"

	"waymark/internal/store"
	"waymark/internal/waymark"
)

// AddTag creates a tag of owner.
func (s *Service) AddTag(ctx context.Context, owner waymark.User, in waymark.TagInput) (waymark.Tag, error) {
	tag, err := waymark.NewTag(owner, in)
	if err != nil {
		return waymark.Tag{}, s.appendDuplicateNames(ctx, err, owner.ID, 0, in)
	}
	tag, err = s.store.CreateTag(ctx, owner.ID, tag)
	return tag, conflictToValidation(err, waymark.FieldName)
}

// AddTags creates all of the tags, or none.
func (s *Service) AddTags(ctx context.Context, owner waymark.User, inputs []waymark.TagInput) (store.Changed[waymark.Tag], error) {
	drafts, err := newDrafts(inputs, func(in waymark.TagInput) (waymark.Tag, error) { return waymark.NewTag(owner, in) })
	if err != nil {
		return store.Changed[waymark.Tag]{}, s.appendDuplicateNames(ctx, err, owner.ID, 0, inputs...)
	}
	tags, err := s.store.CreateTags(ctx, owner.ID, drafts)
	return store.ChangedInMemory(tags), conflictToValidation(err, waymark.FieldName)
}

// EditTag changes a tag.
func (s *Service) EditTag(ctx context.Context, editor waymark.User, id waymark.TagID, in waymark.TagInput) (waymark.Tag, error) {
	tag, err := s.store.ChangeTag(ctx, editor.ID, id, func(tag *waymark.Tag) error {
		if err := editor.MayWrite(waymark.Target{Kind: waymark.Tags, Owner: tag.Owner}); err != nil {
			return err
		}
		return in.Apply(tag)
	})
	return tag, s.appendDuplicateNames(ctx, conflictToValidation(err, waymark.FieldName), editor.ID, id, in)
}

// appendDuplicateNames adds the duplicate names, but for the tag except, to the problems of err.
func (s *Service) appendDuplicateNames(ctx context.Context, err error, owner waymark.UserID, except waymark.TagID, inputs ...waymark.TagInput) error {
	return appendProblems(err, waymark.FieldName, waymark.RuleUnique, func() ([]int, error) {
		names := waymark.Map(inputs, func(in waymark.TagInput) string { return waymark.NormalizeName(in.Name) })
		return s.store.DuplicateTagNames(ctx, owner, names, except)
	})
}

// EditTags makes one change to the editor's own tags among ids, as EditLinks does.
func (s *Service) EditTags(ctx context.Context, editor waymark.User, ids []int64, edit waymark.BulkEdit) (store.Changed[waymark.Tag], error) {
	if err := edit.Validate(); err != nil {
		return store.Changed[waymark.Tag]{}, err
	}
	return s.store.EditTags(ctx, editor.ID, ids, edit, editor.MayWrite)
}

// MergeTags attaches a tag to all links with one of the other tags, and moves these to the trash.
// It returns the number of links that had one of them. All must be the user's own.
func (s *Service) MergeTags(ctx context.Context, user waymark.User, into waymark.TagID, others []waymark.TagID) (links int, err error) {
	return s.store.MergeTags(ctx, user.ID, into, others, user.MayWrite)
}

// RemoveTag removes a tag from a link. The owners of both may do that.
func (s *Service) RemoveTag(ctx context.Context, user waymark.User, tag waymark.TagID, link waymark.LinkID) error {
	return s.store.RemoveTag(ctx, user, tag, link)
}
