package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"fmt"

	"waymark/internal/database"
	"waymark/internal/store/query"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// entityTable is the table of one kind of entity, with what listings need.
type entityTable[T any] struct {
	table.Table[T]
	idOf    func(*T) int64
	sizeOf  func(*T) int // the memory that an entity takes, in bytes
	order   map[waymark.SortField]query.Order
	version func(*T) int64 // another one after each edit of a person
	linkOf  func(*T) int64 // of notes only

	// addOthers sets the fields of entities that other rows have. It is nil if there are none.
	addOthers func(ctx context.Context, q database.Querier, viewer waymark.UserID, entities []*T) error

	// Of lists and tags only.
	nameOf    func(*T) string
	linkCount func(*T) *int
	assoc     *query.Association
}

var links = entityTable[waymark.Link]{
	Table:   table.Links,
	idOf:    func(l *waymark.Link) int64 { return int64(l.ID) },
	version: func(l *waymark.Link) int64 { return int64(l.UpdatedAt) },
	sizeOf:  sizeOfLink,
	addOthers: func(ctx context.Context, q database.Querier, viewer waymark.UserID, links []*waymark.Link) error {
		var lists []*waymark.List
		for _, link := range links {
			lists = append(lists, pointers(link.Lists)...)
		}
		return addPaths(ctx, q, viewer, lists)
	},
	order: map[waymark.SortField]query.Order{ // of the trash
		waymark.SortByID:        {},
		waymark.SortByUpdatedAt: {"e.updated_at"},
	},
}

var lists = entityTable[waymark.List]{
	Table:     table.Lists,
	idOf:      func(l *waymark.List) int64 { return int64(l.ID) },
	version:   versionOfList,
	sizeOf:    sizeOfList,
	addOthers: addPaths,
	nameOf:    func(l *waymark.List) string { return l.Name },
	linkCount: func(l *waymark.List) *int { return &l.LinkCount },
	assoc:     &query.LinkLists,
	order: map[waymark.SortField]query.Order{
		waymark.SortByID:          {},
		waymark.SortByName:        {"e.name_key", "e.name_folded", "e.name"},
		waymark.SortByDescription: {"e.description_folded", "e.description"},
		waymark.SortByPrivate:     {"e.visibility = 3"},
		waymark.SortByVisibility:  {"e.visibility"},
		waymark.SortByCreatedAt:   {"e.created_at"},
		waymark.SortByUpdatedAt:   {"e.updated_at"},
	},
}

var tags = entityTable[waymark.Tag]{
	Table:     table.Tags,
	idOf:      func(t *waymark.Tag) int64 { return int64(t.ID) },
	version:   func(t *waymark.Tag) int64 { return int64(t.UpdatedAt) },
	sizeOf:    sizeOfTag,
	nameOf:    func(t *waymark.Tag) string { return t.Name },
	linkCount: func(t *waymark.Tag) *int { return &t.LinkCount },
	assoc:     &query.LinkTags,
	order: map[waymark.SortField]query.Order{
		waymark.SortByID:         {},
		waymark.SortByName:       {"e.name_key", "e.name_folded", "e.name"},
		waymark.SortByPrivate:    {"e.visibility = 3"},
		waymark.SortByVisibility: {"e.visibility"},
		waymark.SortByCreatedAt:  {"e.created_at"},
		waymark.SortByUpdatedAt:  {"e.updated_at"},
	},
}

var notes = entityTable[waymark.Note]{
	Table:   table.Notes,
	idOf:    func(n *waymark.Note) int64 { return int64(n.ID) },
	version: func(n *waymark.Note) int64 { return int64(n.UpdatedAt) },
	linkOf:  func(n *waymark.Note) int64 { return int64(n.Link) },
	sizeOf:  sizeOfNote,
	order: map[waymark.SortField]query.Order{
		waymark.SortByID:        {},
		waymark.SortByCreatedAt: {"e.created_at"},
		waymark.SortByUpdatedAt: {"e.updated_at"},
	},
}

// versionOfList is the same after a list was moved.
func versionOfList(l *waymark.List) int64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %d", l.Name, l.Description, l.Visibility))
	return int64(binary.BigEndian.Uint64(sum[:8])) //nolint:gosec // any bits will do
}

// wholeEntity describes how an entity e is read with what the viewer sees in other tables.
type wholeEntity[T any] struct {
	selected func(a *database.Args, viewer waymark.UserID) string
	scan     func(rows *sql.Rows, entity *T) error // reads the columns of selected
}

// whole returns the wholeEntity of a table without fields in other tables.
func (t *entityTable[T]) whole() wholeEntity[T] {
	return wholeEntity[T]{
		selected: func(*database.Args, waymark.UserID) string { return t.Selected },
		scan:     t.Scan,
	}
}

// plainRows is the reader of entities without fields in other tables, see Listing.
func (t *entityTable[T]) plainRows(_ int, visible condition) reader[T] {
	return t.byID(t.whole(), visible)
}

// byID returns the reader of whole entities that satisfy visible, in one statement.
func (t *entityTable[T]) byID(whole wholeEntity[T], visible condition) reader[T] {
	return func(ctx context.Context, q database.Querier, viewer waymark.UserID, ids []int64) ([]T, error) {
		a := q.Args()
		text := t.byIDSQL(a, whole.selected(a, viewer), ids) + visible.And(a)
		entities, err := inOrder(ids, t.idOf, t.sizeOf, database.QueryEach(ctx, q, whole.scan, text, a.Values...))
		if err == nil && t.addOthers != nil {
			err = t.addOthers(ctx, q, viewer, pointers(entities))
		}
		return entities, err
	}
}

// pointers returns the addresses of the elements.
func pointers[T any](all []T) []*T {
	found := make([]*T, len(all))
	for i := range all {
		found[i] = &all[i]
	}
	return found
}

// byIDSQL returns the statement that selects columns of the entities with these ids.
func (t *entityTable[T]) byIDSQL(a *database.Args, columns string, ids []int64) string {
	return `
		SELECT ` + columns + `
		FROM ` + t.Name + ` AS e
		WHERE e.id ` + database.In(a, ids)
}
