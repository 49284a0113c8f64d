package library

import (
	"context"

	"waymark/internal/waymark"
)

// AddTag makes a tag for owner.
func (l *Library) AddTag(ctx context.Context, owner waymark.User, in waymark.TagInput) (waymark.Tag, error) {
	tag, err := waymark.NewTag(owner, in)
	if err != nil {
		return tag, l.andTakenNames(ctx, err, owner.ID, 0, single, in)
	}
	tags, err := l.store.CreateTags(ctx, owner.ID, []waymark.Tag{tag})
	if err != nil {
		return tag, taken(err, "name", single)
	}
	return tags[0], nil
}

// AddTags makes many tags, all of them or none.
func (l *Library) AddTags(ctx context.Context, owner waymark.User, inputs []waymark.TagInput) ([]waymark.Tag, error) {
	drafts, err := draftAll(inputs, func(in waymark.TagInput) (waymark.Tag, error) { return waymark.NewTag(owner, in) })
	if err != nil {
		return nil, l.andTakenNames(ctx, err, owner.ID, 0, oneOfMany, inputs...)
	}
	tags, err := l.store.CreateTags(ctx, owner.ID, drafts)
	return tags, taken(err, "name", oneOfMany)
}

// EditTag changes a tag of the editor's own.
func (l *Library) EditTag(ctx context.Context, editor waymark.User, id waymark.TagID, in waymark.TagInput) (waymark.Tag, error) {
	tag, err := l.store.ChangeTag(ctx, id, func(tag *waymark.Tag) error {
		if !editor.ID.MayEdit(tag.Owner) {
			return waymark.ErrForbidden
		}
		return in.Apply(tag)
	})
	return tag, l.andTakenNames(ctx, taken(err, "name", single), editor.ID, id, single, in)
}

// andTakenNames adds to the mistakes that err names those names that are taken.
func (l *Library) andTakenNames(ctx context.Context, err error, owner waymark.UserID, except waymark.TagID, name fieldName, inputs ...waymark.TagInput) error {
	return andTaken(err, "name", name, func() ([]int, error) {
		names := make([]string, len(inputs))
		for i, in := range inputs {
			names[i] = waymark.CleanName(in.Name)
		}
		return l.store.TakenNames(ctx, owner, names, except)
	})
}

// EditTags makes one change to many tags: see store.Store.EditLinks for what
// comes back.
func (l *Library) EditTags(ctx context.Context, editor waymark.User, ids []int64, edit waymark.BulkEdit) ([]*waymark.Tag, error) {
	return l.store.EditTags(ctx, editor.ID, ids, edit)
}
