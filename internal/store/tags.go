package store

import (
	"context"
	"slices"
	"strings"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// Tags lists the tags that viewer sees.
func (s *Store) Tags(viewer waymark.UserID, order waymark.Order, pagination waymark.Pagination) Listing[waymark.Tag] {
	return newPlainListing(s, &tags, viewer, order, pagination)
}

// OwnTags lists the tags of a user's own.
func (s *Store) OwnTags(owner waymark.UserID, order waymark.Order, pagination waymark.Pagination) Listing[waymark.Tag] {
	l := s.Tags(owner, order, pagination)
	l.sql = []condition{ownedBy(owner)}
	return l
}

// HyphenatedTags returns the active tags that viewer sees whose name, with a hyphen for each space, is one
// of some names, without regard to case. They are sorted by id.
func (s *Store) HyphenatedTags(ctx context.Context, viewer waymark.UserID, names []string) ([]waymark.Tag, error) {
	folded := make([]string, 0, len(names))
	for _, name := range names {
		if table.StorableText(name) {
			folded = append(folded, strings.ReplaceAll(waymark.Fold(name), " ", "-"))
		}
	}
	if len(folded) == 0 {
		return nil, nil
	}
	q := s.db.Querier()
	a := q.Args()
	return tags.All(ctx, q, query.VisibleTo(a, "e.visible_to", viewer)+` AND replace(e.name_folded, ' ', '-') `+database.In(a, table.Unique(folded))+`
		ORDER BY e.id`, a.Values...)
}

// Tag returns an active tag. It returns waymark.ErrNotFound if there is no such tag,
// and waymark.ErrForbidden if viewer may not see it.
func (s *Store) Tag(ctx context.Context, viewer waymark.UserID, id waymark.TagID) (waymark.Tag, error) {
	return tags.GetVisible(ctx, s.db.Querier(), viewer, int64(id))
}

// CreateTag creates a tag of owner. It returns waymark.ErrConflict if owner already has a tag with
// the name, without regard to case.
func (s *Store) CreateTag(ctx context.Context, owner waymark.UserID, draft waymark.Tag) (tag waymark.Tag, err error) {
	created, err := s.CreateTags(ctx, owner, []waymark.Tag{draft})
	if err == nil {
		tag = created[0]
	}
	return tag, err
}

// CreateTags creates many tags of owner, all or none. It returns a waymark.ConflictError if
// owner already has a tag with one of the names, or if a name appears twice, both
// without regard to case.
func (s *Store) CreateTags(ctx context.Context, owner waymark.UserID, drafts []waymark.Tag) (created []waymark.Tag, err error) {
	err = s.bulkIf(ctx, len(drafts) > 1, owner, func(ctx context.Context, q database.Querier) (err error) {
		created, err = s.insertTags(ctx, q, owner, drafts)
		return err
	})
	return created, err
}

// insertTags inserts new tags.
func (s *Store) insertTags(ctx context.Context, q database.Querier, owner waymark.UserID, drafts []waymark.Tag) ([]waymark.Tag, error) {
	now, created, names := s.now(), slices.Clone(drafts), make([]string, len(drafts))
	for i := range created {
		names[i] = created[i].Name
		created[i].Owner, created[i].CreatedAt, created[i].UpdatedAt = owner, now, now
	}
	switch indexes, err := duplicateTagNames(ctx, q, owner, names, 0); {
	case err != nil:
		return nil, err
	case len(indexes) > 0:
		return nil, &waymark.ConflictError{Indexes: indexes}
	}
	ids, err := table.InsertBatches[waymark.TagID](ctx, q, &tags.Table, created)
	if err != nil {
		return nil, err
	}
	for i, id := range ids {
		created[i].ID = id
	}
	return created, recordInserted(ctx, s, q, &tags, table.PlainIDs(ids), false)
}

// DuplicateTagNames returns the indexes of the names that are taken: by an active tag of owner other than except, or
// by a name before them. Case is ignored.
func (s *Store) DuplicateTagNames(ctx context.Context, owner waymark.UserID, names []string, except waymark.TagID) ([]int, error) {
	return duplicateTagNames(ctx, s.db.Querier(), owner, names, except)
}

func duplicateTagNames(ctx context.Context, q database.Querier, owner waymark.UserID, names []string, except waymark.TagID) (indexes []int, err error) {
	refs := make([]waymark.Ref, len(names))
	for i, name := range names {
		refs[i].Name = name
	}
	known, err := resolve(ctx, q, &query.LinkTags, owner, refs)
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		key := waymark.Fold(name)
		if id, ok := known.byName[key]; ok && (except == 0 || id != int64(except)) {
			indexes = append(indexes, i)
		}
		known.byName[key] = 0
	}
	return indexes, nil
}

// ChangeTag updates an active tag with the function change. It returns
// waymark.ErrConflict if the owner has another tag with the new name. If change returns
// an error, nothing is stored.
func (s *Store) ChangeTag(ctx context.Context, editor waymark.UserID, id waymark.TagID, change func(*waymark.Tag) error) (waymark.Tag, error) {
	var tag waymark.Tag
	err := s.userTx(ctx, editor, func(ctx context.Context, q database.Querier) (err error) {
		if tag, err = tags.GetActive(ctx, q, int64(id)); err != nil {
			return err
		}
		if err := change(&tag); err != nil {
			return err
		}
		tag.UpdatedAt = s.now()
		return recorded(ctx, s, q, &tags.Table, []int64{int64(id)}, func() error { return tags.Update(ctx, q, int64(id), &tag) })
	})
	return tag, err
}
