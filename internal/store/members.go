package store

import (
	"context"
	"database/sql"
	"errors"
	"iter"
	"slices"

	"waymark/internal/waymark"
)

// members says how links are filed in the entries of another kind.
type members struct {
	table  string // the lists or the tags
	pairs  string // which link is in which
	column string // the entry's id in pairs
}

var (
	listMembers = members{table: "lists", pairs: "link_lists", column: "list_id"}
	tagMembers  = members{table: "tags", pairs: "link_tags", column: "tag_id"}
)

// loadMembers gives each link the lists and tags that viewer may see, by name.
func loadMembers(ctx context.Context, q querier, viewer waymark.UserID, of []waymark.Link) error {
	if len(of) == 0 {
		return nil
	}
	ids := make([]waymark.LinkID, len(of))
	at := make(map[waymark.LinkID]int, len(of))
	for i := range of {
		ids[i], at[of[i].ID] = of[i].ID, i
		of[i].Lists, of[i].Tags = nil, nil
	}
	for m, err := range membersOf(ctx, q, &lists, listMembers, viewer, ids) {
		if err != nil {
			return err
		}
		link := &of[at[m.link]]
		link.Lists = append(link.Lists, m.entry)
	}
	for m, err := range membersOf(ctx, q, &tags, tagMembers, viewer, ids) {
		if err != nil {
			return err
		}
		link := &of[at[m.link]]
		link.Tags = append(link.Tags, m.entry)
	}
	return nil
}

type member[T any] struct {
	link  waymark.LinkID
	entry T
}

// membersOf starts from the links, which SQLite would not do by itself where there
// are many: it takes a CROSS JOIN in the order in which it is written.
func membersOf[T any](ctx context.Context, q querier, k *kind[T], m members, viewer waymark.UserID, of []waymark.LinkID) iter.Seq2[member[T], error] {
	a := q.args(viewer)
	return each(ctx, q, func(rows *sql.Rows, found *member[T]) error {
		return rows.Scan(append(k.fields(&found.entry), &found.link)...)
	}, `
		SELECT `+k.columns+`, m.link_id
		FROM `+m.pairs+` AS m
		CROSS JOIN `+m.table+` AS e
		WHERE m.link_id `+among(a, of)+` AND e.id = m.`+m.column+` AND e.shelf IN (0, $1)
		ORDER BY e.name_key, e.name, e.id`, a.values...)
}

// filing is which links go into which lists or tags.
type filing struct {
	links []waymark.LinkID
	refs  [][]waymark.Ref // of each link
}

func (f *filing) add(link waymark.LinkID, refs []waymark.Ref) {
	if len(refs) > 0 {
		f.links = append(f.links, link)
		f.refs = append(f.refs, refs)
	}
}

// file adds links to what the refs mean to the user.
func (s *Store) file(ctx context.Context, q querier, m members, user waymark.User, f filing) error {
	known, err := s.resolveOrCreate(ctx, q, m, user, slices.Concat(f.refs...))
	if err != nil {
		return err
	}
	var pairs [][2]int64
	for i, link := range f.links {
		for _, id := range known.ids(f.refs[i]) {
			pairs = append(pairs, [2]int64{int64(link), id})
		}
	}
	return m.addPairs(ctx, q, pairs)
}

// refile files several links alike. Where replace is set, they leave the other
// lists or tags that the user sees on them; what is in the trash meanwhile, or
// hidden from the user, stays.
func (s *Store) refile(ctx context.Context, q querier, m members, user waymark.User, links []waymark.LinkID, refs []waymark.Ref, replace bool) error {
	if len(links) == 0 {
		return nil
	}
	if replace {
		a := q.args(user.ID)
		if _, err := q.exec(ctx, `
			DELETE FROM `+m.pairs+`
			WHERE link_id `+among(a, links)+` AND `+m.column+` IN (
				SELECT e.id
				FROM `+m.table+` AS e
				WHERE e.id = `+m.pairs+`.`+m.column+` AND e.shelf IN (0, $1))`, a.values...); err != nil {
			return err
		}
	}
	known, err := s.resolveOrCreate(ctx, q, m, user, refs)
	if err != nil {
		return err
	}
	ids := known.ids(refs)
	for some := range slices.Chunk(links, chunk) {
		var pairs [][2]int64
		for _, link := range some {
			for _, id := range ids {
				pairs = append(pairs, [2]int64{int64(link), id})
			}
		}
		if err := m.addPairs(ctx, q, pairs); err != nil {
			return err
		}
	}
	return nil
}

func (m members) addPairs(ctx context.Context, q querier, pairs [][2]int64) error {
	if len(pairs) == 0 {
		return nil
	}
	a := q.args()
	_, err := q.exec(ctx, `
		INSERT INTO `+m.pairs+` (link_id, `+m.column+`, link_shelf)
		SELECT e.id, CAST(value->>1 AS BIGINT), e.shelf
		FROM `+a.addRows(pairs)+`
		CROSS JOIN links AS e
		WHERE e.id = CAST(value->>0 AS BIGINT)
		ON CONFLICT DO NOTHING`, a.values...)
	return err
}

// resolved are the entries that refs point at.
type resolved struct {
	byID   map[int64]bool
	byName map[string]int64 // by folded name
}

// ids are the entries that the refs mean, each once. Refs that mean none are skipped.
func (r resolved) ids(refs []waymark.Ref) []int64 {
	var ids []int64
	for _, ref := range refs {
		id, ok := r.id(ref)
		if ok && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (r resolved) id(ref waymark.Ref) (int64, bool) {
	if ref.ID != 0 {
		return ref.ID, r.byID[ref.ID]
	}
	id, ok := r.byName[waymark.Fold(ref.Name)]
	return id, ok
}

// resolve looks up refs: ids among the active entries that the user may see, names
// among the user's own active ones, the oldest where several have the name.
func (s *Store) resolve(ctx context.Context, q querier, m members, user waymark.UserID, refs []waymark.Ref) (resolved, error) {
	r := resolved{map[int64]bool{}, map[string]int64{}}
	var ids []int64
	var names []string
	for _, ref := range refs {
		switch {
		case ref.ID != 0:
			ids = append(ids, ref.ID)
		case keepable(ref.Name):
			names = append(names, waymark.Fold(ref.Name))
		}
	}
	return r, errors.Join(r.lookUpIDs(ctx, q, m, user, ids), r.lookUpNames(ctx, q, m, user, names))
}

func (r resolved) lookUpIDs(ctx context.Context, q querier, m members, user waymark.UserID, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	a := q.args(user)
	for id, err := range each(ctx, q, value[int64], `
		SELECT e.id
		FROM `+m.table+` AS e
		WHERE e.id `+among(a, unique(ids))+` AND e.shelf IN (0, $1)`, a.values...) {
		if err != nil {
			return err
		}
		r.byID[id] = true
	}
	return nil
}

func (r resolved) lookUpNames(ctx context.Context, q querier, m members, user waymark.UserID, names []string) error {
	if len(names) == 0 {
		return nil
	}
	type entry struct {
		id  int64
		key string
	}
	a := q.args(user)
	for found, err := range each(ctx, q, func(rows *sql.Rows, e *entry) error { return rows.Scan(&e.id, &e.key) }, `
		SELECT min(e.id), e.name_key
		FROM `+m.table+` AS e
		WHERE e.user_id = $1 AND e.name_key `+among(a, unique(names))+` AND e.shelf IS NOT NULL
		GROUP BY e.name_key`, a.values...) {
		if err != nil {
			return err
		}
		r.byName[found.key] = found.id
	}
	return nil
}

var namedColumns = columns{
	{"user_id", "BIGINT"},
	{"visibility", "INTEGER"},
	{"created_at", "BIGINT"},
	{"updated_at", "BIGINT"},
	{"name", "TEXT"},
	{"name_key", "TEXT"},
}

// resolveOrCreate looks up refs too, and makes an entry for each name that the user has
// none for.
func (s *Store) resolveOrCreate(ctx context.Context, q querier, m members, user waymark.User, refs []waymark.Ref) (resolved, error) {
	if len(refs) == 0 {
		return resolved{}, nil
	}
	if err := s.dialect.claimNames(ctx, q, user.ID); err != nil {
		return resolved{}, err
	}
	known, err := s.resolve(ctx, q, m, user.ID, refs)
	if err != nil {
		return resolved{}, err
	}
	return known, s.createMissing(ctx, q, m, user, refs, known)
}

// createMissing makes an entry for each name that is not known, and adds it.
func (s *Store) createMissing(ctx context.Context, q querier, m members, user waymark.User, refs []waymark.Ref, known resolved) error {
	var rows [][]any
	var keys []string
	now := s.now()
	for _, ref := range refs {
		key := waymark.Fold(ref.Name)
		if _, ok := known.byName[key]; ok || ref.ID != 0 {
			continue
		}
		known.byName[key] = 0 // known from here on; its id follows
		keys = append(keys, key)
		rows = append(rows, []any{user.ID, user.Visibility, now, now, ref.Name, key})
	}
	ids, err := insert[int64](ctx, q, m.table, namedColumns, rows)
	if err != nil {
		return err
	}
	for i, key := range keys {
		known.byName[key] = ids[i]
	}
	return nil
}

// unique returns the values without repeats, in order of value.
func unique[T int64 | string](values []T) []T {
	values = slices.Clone(values)
	slices.Sort(values)
	return slices.Compact(values)
}
