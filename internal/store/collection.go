package store

import (
	"cmp"
	"context"
	"database/sql"
	"iter"
	"slices"

	"waymark/internal/database"
	"waymark/internal/store/accounts"
	"waymark/internal/store/snapshots"
	"waymark/internal/store/table"
	"waymark/internal/waymark"
)

// Collection is everything that a user owns, the trash included, in one snapshot. Entities are
// sorted by the time when they were created, and then by id. It reads about a MiB at a time, and
// keeps 8 bytes for each entity of the kind that is being read.
//
// A Collection can only be used in the function that ReadCollection calls, and only one of its
// sequences at a time.
type Collection struct {
	snapshots.Reader

	ctx   context.Context // of the transaction
	q     database.Querier
	owner waymark.UserID
}

// CollectedList is a list of a collection.
type CollectedList struct {
	waymark.List
	Pinned  bool
	Editors []string // the names of those who are named
}

// CollectedTag is a tag of a collection.
type CollectedTag struct {
	waymark.Tag
	Pinned bool
}

// ReadCollection calls read with the collection of a user. read may be as slow as
// its client is, but must end within 10 minutes: see database.LongReadTx.
func (s *Store) ReadCollection(ctx context.Context, owner waymark.UserID, read func(c *Collection) error) error {
	return s.db.LongReadTx(ctx, int64(owner), func(ctx context.Context, q database.Querier) error {
		return read(&Collection{snapshots.NewReader(ctx, q, owner), ctx, q, owner})
	})
}

// Settings returns the account and its settings.
func (c *Collection) Settings() (waymark.User, waymark.Settings, error) {
	row, err := table.Users.Get(c.ctx, c.q, "e.id = $1", c.owner)
	return row.User, row.Settings, err
}

// Bundles returns the bundles in the order of their positions.
func (c *Collection) Bundles() ([]waymark.Bundle, error) {
	return accounts.ReadBundles(c.ctx, c.q, c.owner)
}

// SavedSearches returns the saved searches.
func (c *Collection) SavedSearches() ([]waymark.SavedSearch, error) {
	searches, err := accounts.ReadSavedSearches(c.ctx, c.q, c.owner)
	slices.SortFunc(searches, func(a, b waymark.SavedSearch) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return searches, err
}

// KeptApart is a pair of links or tags that a person does not want to merge.
type KeptApart struct {
	Kind waymark.EntityKind // waymark.Links or waymark.Tags
	A, B string             // their URLs or folded names
}

// KeptApart returns the pairs that are kept apart, without those of URLs that no link has any more.
func (c *Collection) KeptApart() (pairs []KeptApart, err error) {
	rows, err := table.KeptApart.All(c.ctx, c.q, "e.user_id = $1 ORDER BY e.entity, e.key, e.a, e.b", c.owner)
	if err != nil {
		return nil, err
	}
	var hashes []string
	for _, row := range rows {
		if row.Entity == waymark.Links.String() {
			hashes = append(hashes, row.A, row.B)
		}
	}
	urls := map[string]string{} // by hash
	err = table.InBatches(c.ctx, table.Unique(hashes), func(hashes []string) error {
		a := c.q.Args(c.owner)
		for url, err := range database.QueryEach(c.ctx, c.q, database.ScanValue[string], `
			SELECT url
			FROM links
			WHERE user_id = $1 AND url_hash `+database.In(a, waymark.Map(hashes, func(hash string) database.Hex { return database.Hex(hash) })), a.Values...) {
			if err != nil {
				return err
			}
			urls[string(table.URLHash(url))] = url
		}
		return nil
	})
	for _, row := range rows {
		pair := KeptApart{waymark.Tags, row.A, row.B}
		if row.Entity == waymark.Links.String() {
			pair = KeptApart{waymark.Links, urls[row.A], urls[row.B]}
		}
		if pair.A != "" && pair.B != "" {
			pairs = append(pairs, pair)
		}
	}
	return pairs, err
}

// Lists yields the lists, each after its Parent, which can be in the trash. They have no Path.
func (c *Collection) Lists() iter.Seq2[CollectedList, error] {
	plain := lists
	plain.addOthers = nil
	return collected(c, &plain, c.afterParents, func(l waymark.List, pinned bool) CollectedList {
		return CollectedList{List: l, Pinned: pinned}
	})
}

// NamedEditors returns the names of those who are named as editors, by list.
func (c *Collection) NamedEditors() (map[waymark.ListID][]string, error) {
	type editor struct {
		list waymark.ListID
		name string
	}
	named := map[waymark.ListID][]string{}
	for e, err := range database.QueryEach(c.ctx, c.q, func(rows *sql.Rows, e *editor) error { return rows.Scan(&e.list, &e.name) }, `
		SELECT m.list_id, u.name
		FROM list_editors AS m
		JOIN lists AS l ON l.id = m.list_id
		JOIN users AS u ON u.id = m.user_id
		WHERE l.user_id = $1
		ORDER BY u.name_folded`, c.owner) {
		if err != nil {
			return nil, err
		}
		named[e.list] = append(named[e.list], e.name)
	}
	return named, nil
}

// afterParents returns the ids of lists with each list after its parent, and in the same order otherwise.
func (c *Collection) afterParents(ids []int64) ([]int64, error) {
	parents, err := database.QueryMap[int64, int64](c.ctx, c.q, `
		SELECT id, parent_id
		FROM lists
		WHERE user_id = $1 AND parent_id IS NOT NULL`, c.owner)
	if err != nil || len(parents) == 0 {
		return ids, err
	}
	ordered, seen := make([]int64, 0, len(ids)), make(map[int64]bool, len(ids))
	var add func(id int64)
	add = func(id int64) {
		if seen[id] {
			return
		}
		seen[id] = true
		if parent := parents[id]; parent != 0 {
			add(parent)
		}
		ordered = append(ordered, id)
	}
	for _, id := range ids {
		add(id)
	}
	return ordered, nil
}

// Tags yields the tags.
func (c *Collection) Tags() iter.Seq2[CollectedTag, error] {
	return collected(c, &tags, nil, func(t waymark.Tag, pinned bool) CollectedTag { return CollectedTag{t, pinned} })
}

// collected yields the lists or tags, in another order if order is not nil.
func collected[T, C any](c *Collection, t *entityTable[T], order func(ids []int64) ([]int64, error), with func(entity T, pinned bool) C) iter.Seq2[C, error] {
	return func(yield func(C, error) bool) {
		var none C
		ids, err := c.ids(`
		SELECT e.id, e.created_at
		FROM `+t.Name+` AS e
		WHERE e.user_id = $1`, c.owner)
		if err == nil && order != nil {
			ids, err = order(ids)
		}
		var pinned []int64
		if err == nil {
			pinned, err = database.QueryAll(c.ctx, c.q, database.ScanValue[int64], `
		SELECT `+t.assoc.Column+`
		FROM `+t.assoc.Pins()+`
		WHERE user_id = $1
		ORDER BY `+t.assoc.Column, c.owner)
		}
		if err != nil {
			yield(none, err)
			return
		}
		for entity, err := range readRows(c.ctx, c.q, c.owner, ids, t.byID(nil)) {
			if err != nil {
				yield(none, err)
				return
			}
			_, isPinned := slices.BinarySearch(pinned, t.idOf(&entity))
			if !yield(with(entity, isPinned), nil) {
				return
			}
		}
	}
}

// entityTime is the id of an entity, and when it was created.
type entityTime struct {
	id int64
	at waymark.Time
}

func (e entityTime) compare(other entityTime) int {
	return cmp.Or(cmp.Compare(e.at, other.at), cmp.Compare(e.id, other.id))
}

// ids returns the ids that a query returns with the time of creation, in the order of a
// collection. They are sorted here, because no index has them in this order, and databases need
// more memory to sort.
func (c *Collection) ids(text string, args ...any) ([]int64, error) {
	found, err := database.QueryAll(c.ctx, c.q, func(rows *sql.Rows, e *entityTime) error { return rows.Scan(&e.id, &e.at) }, text, args...)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, entityTime.compare)
	ids := waymark.Map(found, func(e entityTime) int64 { return e.id })
	return ids, nil
}
