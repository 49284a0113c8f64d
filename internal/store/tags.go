package store

import (
	"context"
	"slices"

	"waymark/internal/waymark"
)

var tags = entityTable[waymark.Tag]{
	table:   "tags",
	columns: `e.id, e.user_id, e.name, e.visibility, e.created_at, e.updated_at, e.deleted_at`,
	id:      func(t *waymark.Tag) int64 { return int64(t.ID) },
	name:    func(t *waymark.Tag) string { return t.Name },
	owner:   func(t *waymark.Tag) waymark.UserID { return t.Owner },
	scanTargets: func(t *waymark.Tag) []any {
		return []any{&t.ID, &t.Owner, &t.Name, &t.Visibility, &t.CreatedAt, &t.UpdatedAt, &t.DeletedAt}
	},
	orderColumns: map[waymark.SortField][]string{
		waymark.SortByID:         {},
		waymark.SortByName:       {"e.name_key", "e.name"},
		waymark.SortByPrivate:    {"e.shelf"},
		waymark.SortByVisibility: {"e.visibility"},
		waymark.SortByCreatedAt:  {"e.created_at"},
		waymark.SortByUpdatedAt:  {"e.updated_at"},
	},
}

// Tags shows a page of the tags that viewer may see.
func (s *Store) Tags(ctx context.Context, viewer waymark.UserID, order waymark.Order, page waymark.Pagination, show Emit[waymark.Tag]) error {
	return browse(ctx, s, &tags, everything("tags", viewer, order), page, show)
}

// Tag returns an active tag that viewer may see.
func (s *Store) Tag(ctx context.Context, viewer waymark.UserID, id waymark.TagID) (waymark.Tag, error) {
	tag, err := getActive(ctx, s.ask(), &tags, int64(id))
	if err == nil && !viewer.MaySee(tag.Owner, tag.Visibility) {
		err = waymark.ErrForbidden
	}
	return tag, s.dialect.mapError(err)
}

// CreateTags keeps new tags of owner, all or none. Names that owner has already, or
// that come twice, whatever their case, are a waymark.ConflictError.
func (s *Store) CreateTags(ctx context.Context, owner waymark.UserID, drafts []waymark.Tag) ([]waymark.Tag, error) {
	var created []waymark.Tag
	err := s.change(ctx, func(ctx context.Context, q querier) error {
		names := make([]string, len(drafts))
		for i, tag := range drafts {
			names[i] = tag.Name
		}
		switch at, err := s.duplicateTagNames(ctx, q, owner, names, 0); {
		case err != nil:
			return err
		case len(at) > 0:
			return &waymark.ConflictError{Indexes: at}
		}
		now := s.now()
		created = make([]waymark.Tag, len(drafts))
		rows := make([][]any, len(drafts))
		for i, tag := range drafts {
			tag.Owner, tag.CreatedAt, tag.UpdatedAt = owner, now, now
			created[i] = tag
			rows[i] = append([]any{tag.Owner, tag.CreatedAt}, tagValues(&tag)...)
		}
		ids, err := insert[waymark.TagID](ctx, q, "tags", slices.Concat(immutableColumns, tagColumns), rows)
		if err != nil {
			return err
		}
		for i, id := range ids {
			created[i].ID = id
		}
		return nil
	})
	return created, err
}

// DuplicateTagNames returns the places of those names that owner has already, on another
// active tag than except, or that come a second time, whatever their case.
func (s *Store) DuplicateTagNames(ctx context.Context, owner waymark.UserID, names []string, except waymark.TagID) ([]int, error) {
	at, err := s.duplicateTagNames(ctx, s.ask(), owner, names, except)
	return at, s.dialect.mapError(err)
}

func (s *Store) duplicateTagNames(ctx context.Context, q querier, owner waymark.UserID, names []string, except waymark.TagID) (at []int, err error) {
	refs := make([]waymark.Ref, len(names))
	for i, name := range names {
		refs[i].Name = name
	}
	known, err := s.resolve(ctx, q, linkTags, owner, refs)
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		key := waymark.Fold(name)
		if id, taken := known.byName[key]; taken && (except == 0 || id != int64(except)) {
			at = append(at, i)
		}
		known.byName[key] = 0
	}
	return at, nil
}

// ChangeTag changes an active tag as change says. A name that its owner has
// already is waymark.ErrConflict.
func (s *Store) ChangeTag(ctx context.Context, id waymark.TagID, change func(*waymark.Tag) error) (waymark.Tag, error) {
	var tag waymark.Tag
	err := s.change(ctx, func(ctx context.Context, q querier) (err error) {
		if tag, err = getActive(ctx, q, &tags, int64(id)); err != nil {
			return err
		}
		if err := change(&tag); err != nil {
			return err
		}
		tag.UpdatedAt = s.now()
		a := q.args(id)
		_, err = q.exec(ctx, `
			UPDATE tags
			SET `+tagColumns.assign(a, tagValues(&tag))+`
			WHERE id = $1`, a.values...)
		return err
	})
	return tag, err
}

var tagColumns = columns{
	{"visibility", "INTEGER"},
	{"updated_at", "BIGINT"},
	{"name", "TEXT"},
	{"name_key", "TEXT"},
}

func tagValues(t *waymark.Tag) []any {
	return []any{t.Visibility, t.UpdatedAt, t.Name, waymark.Fold(t.Name)}
}
