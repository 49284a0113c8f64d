package store

import (
	"context"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/waymark"
)

// Tags lists the tags that viewer sees.
func (s *Store) Tags(viewer waymark.UserID, order waymark.Order, pagination waymark.Pagination) Listing[waymark.Tag] {
	return newListing(s, &tags, viewer, order, pagination)
}

// Tag returns an active tag that viewer sees, else waymark.ErrForbidden.
func (s *Store) Tag(ctx context.Context, viewer waymark.UserID, id waymark.TagID) (waymark.Tag, error) {
	tag, err := tags.getActive(ctx, s.db.Querier(), int64(id))
	if err == nil && !viewer.MaySee(tag.Owner, tag.Visibility) {
		err = waymark.ErrForbidden
	}
	return tag, err
}

// CreateTags creates tags of owner, all or none. Names that owner has already, or that
// appear twice, whatever their case, are a waymark.ConflictError.
func (s *Store) CreateTags(ctx context.Context, owner waymark.UserID, drafts []waymark.Tag) ([]waymark.Tag, error) {
	var created []waymark.Tag
	err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) error {
		names := make([]string, len(drafts))
		for i, tag := range drafts {
			names[i] = tag.Name
		}
		switch indexes, err := s.duplicateTagNames(ctx, q, owner, names, 0); {
		case err != nil:
			return err
		case len(indexes) > 0:
			return &waymark.ConflictError{Indexes: indexes}
		}
		now := s.now()
		created = make([]waymark.Tag, len(drafts))
		for i, tag := range drafts {
			tag.Owner, tag.CreatedAt, tag.UpdatedAt = owner, now, now
			created[i] = tag
		}
		ids, err := insert[waymark.TagID](ctx, q, &tags.table, created)
		for i, id := range ids {
			created[i].ID = id
		}
		return err
	})
	return created, err
}

// DuplicateTagNames returns the indexes of those names that another active tag of
// owner than except has, or that appear a second time, whatever their case.
func (s *Store) DuplicateTagNames(ctx context.Context, owner waymark.UserID, names []string, except waymark.TagID) ([]int, error) {
	return s.duplicateTagNames(ctx, s.db.Querier(), owner, names, except)
}

func (s *Store) duplicateTagNames(ctx context.Context, q database.Querier, owner waymark.UserID, names []string, except waymark.TagID) (indexes []int, err error) {
	refs := make([]waymark.Ref, len(names))
	for i, name := range names {
		refs[i].Name = name
	}
	known, err := s.resolve(ctx, q, &query.LinkTags, owner, refs)
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		folded := waymark.Fold(name)
		if id, ok := known.byName[folded]; ok && (except == 0 || id != int64(except)) {
			indexes = append(indexes, i)
		}
		known.byName[folded] = 0
	}
	return indexes, nil
}

// ChangeTag updates an active tag as change does. A name that its owner has already is
// waymark.ErrConflict. Where change returns an error, nothing changes.
func (s *Store) ChangeTag(ctx context.Context, id waymark.TagID, change func(*waymark.Tag) error) (waymark.Tag, error) {
	var tag waymark.Tag
	err := s.db.WriteTx(ctx, func(ctx context.Context, q database.Querier) (err error) {
		if tag, err = tags.getActive(ctx, q, int64(id)); err != nil {
			return err
		}
		if err := change(&tag); err != nil {
			return err
		}
		tag.UpdatedAt = s.now()
		return tags.update(ctx, q, int64(id), &tag)
	})
	return tag, err
}
