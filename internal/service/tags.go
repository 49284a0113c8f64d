package service

import (
	"context"

	"waymark/internal/waymark"
)

// AddTag makes a tag for owner.
func (s *Service) AddTag(ctx context.Context, owner waymark.User, in waymark.TagInput) (waymark.Tag, error) {
	tag, err := waymark.NewTag(owner, in)
	if err != nil {
		return tag, s.appendDuplicateNames(ctx, err, owner.ID, 0, single, in)
	}
	tags, err := s.store.CreateTags(ctx, owner.ID, []waymark.Tag{tag})
	if err != nil {
		return tag, conflictToValidation(err, "name", single)
	}
	return tags[0], nil
}

// AddTags makes many tags, all of them or none.
func (s *Service) AddTags(ctx context.Context, owner waymark.User, inputs []waymark.TagInput) ([]waymark.Tag, error) {
	drafts, err := draftAll(inputs, func(in waymark.TagInput) (waymark.Tag, error) { return waymark.NewTag(owner, in) })
	if err != nil {
		return nil, s.appendDuplicateNames(ctx, err, owner.ID, 0, oneOfMany, inputs...)
	}
	tags, err := s.store.CreateTags(ctx, owner.ID, drafts)
	return tags, conflictToValidation(err, "name", oneOfMany)
}

// EditTag changes a tag of the editor's own.
func (s *Service) EditTag(ctx context.Context, editor waymark.User, id waymark.TagID, in waymark.TagInput) (waymark.Tag, error) {
	tag, err := s.store.ChangeTag(ctx, id, func(tag *waymark.Tag) error {
		if !editor.ID.MayEdit(tag.Owner) {
			return waymark.ErrForbidden
		}
		return in.Apply(tag)
	})
	return tag, s.appendDuplicateNames(ctx, conflictToValidation(err, "name", single), editor.ID, id, single, in)
}

// appendDuplicateNames adds to the mistakes that err names those names that are taken.
func (s *Service) appendDuplicateNames(ctx context.Context, err error, owner waymark.UserID, except waymark.TagID, name fieldName, inputs ...waymark.TagInput) error {
	return appendDuplicates(err, "name", name, func() ([]int, error) {
		names := make([]string, len(inputs))
		for i, in := range inputs {
			names[i] = waymark.NormalizeName(in.Name)
		}
		return s.store.DuplicateTagNames(ctx, owner, names, except)
	})
}

// EditTags makes one change to many tags: see store.Store.EditLinks for what
// comes back.
func (s *Service) EditTags(ctx context.Context, editor waymark.User, ids []int64, edit waymark.BulkEdit) ([]*waymark.Tag, error) {
	return s.store.EditTags(ctx, editor.ID, ids, edit)
}
