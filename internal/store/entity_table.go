package store

import (
	"context"
	"crypto/sha256"
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

// byID returns the reader of entities that satisfy visible, see Listing. It reads no links: see linkRows.
func (t *entityTable[T]) byID(visible condition) reader[T] {
	return func(ctx context.Context, q database.Querier, viewer waymark.UserID, ids []int64) ([]T, error) {
		a := q.Args()
		entities, err := inOrder(ids, t.idOf, t.sizeOf, database.QueryEach(ctx, q, t.Scan, `
		SELECT `+t.Selected+`
		FROM `+t.Name+` AS e
		WHERE e.id `+database.In(a, ids)+visible.And(a), a.Values...))
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
