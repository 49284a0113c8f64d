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
	tag, err = s.CreateTag(ctx, owner.ID, tag)
	return tag, conflictToValidation(err, waymark.FieldName)
}

// AddTags creates all of the tags, or none.
func (s *Service) AddTags(ctx context.Context, owner waymark.User, inputs []waymark.TagInput) (store.Changed[waymark.Tag], error) {
	drafts, err := newDrafts(inputs, func(in waymark.TagInput) (waymark.Tag, error) { return waymark.NewTag(owner, in) })
	if err != nil {
		return store.Changed[waymark.Tag]{}, s.appendDuplicateNames(ctx, err, owner.ID, 0, inputs...)
	}
	tags, err := s.CreateTags(ctx, owner.ID, drafts)
	return store.ChangedInMemory(tags), conflictToValidation(err, waymark.FieldName)
}

// EditTag changes a tag.
func (s *Service) EditTag(ctx context.Context, editor waymark.User, id waymark.TagID, in waymark.TagInput) (waymark.Tag, error) {
	tag, err := s.ChangeTag(ctx, editor.ID, id, func(tag *waymark.Tag) error {
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
		return s.DuplicateTagNames(ctx, owner, names, except)
	})
}

// EditTags makes one change to the editor's own tags among ids, as EditLinks does.
func (s *Service) EditTags(ctx context.Context, editor waymark.User, ids []int64, edit waymark.BulkEdit) (store.Changed[waymark.Tag], error) {
	if err := edit.Validate(); err != nil {
		return store.Changed[waymark.Tag]{}, err
	}
	return s.Store.EditTags(ctx, editor, ids, edit)
}
