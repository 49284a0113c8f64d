package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"iter"
	"slices"
	"strings"

	"waymark/internal/waymark"
)

// association says how links are filed in the entries of another kind.
type association struct {
	entities string // the lists or the tags
	table    string // which link is in which
	column   string // the entry's id in pairs
}

var (
	linkLists = association{entities: "lists", table: "link_lists", column: "list_id"}
	linkTags  = association{entities: "tags", table: "link_tags", column: "tag_id"}
)

// loadLabels gives each link the lists and tags that viewer may see, by name.
func loadLabels(ctx context.Context, q querier, viewer waymark.UserID, of []waymark.Link) error {
	return newLabelLoader()(ctx, q, viewer, of)
}

// newLabelLoader returns a function that does the same, for one part after the other
// of a long answer to one viewer: it reads each list and tag once.
func newLabelLoader() func(ctx context.Context, q querier, viewer waymark.UserID, of []waymark.Link) error {
	knownLists := labelCache[waymark.List]{kind: &lists}
	knownTags := labelCache[waymark.Tag]{kind: &tags}
	return func(ctx context.Context, q querier, viewer waymark.UserID, of []waymark.Link) error {
		if len(of) == 0 {
			return nil
		}
		at := make(map[waymark.LinkID]int, len(of))
		ids := make([]waymark.LinkID, len(of))
		for i, link := range of {
			ids[i], at[link.ID] = link.ID, i
		}
		var inLists, withTags []pair
		for p, err := range pairsOf(ctx, q, ids) {
			switch {
			case err != nil:
				return err
			case p.tag:
				withTags = append(withTags, p)
			default:
				inLists = append(inLists, p)
			}
		}
		for i := range of {
			of[i].Lists, of[i].Tags = nil, nil
		}
		err := knownLists.attach(ctx, q, viewer, inLists, func(link waymark.LinkID, list waymark.List) {
			l := &of[at[link]]
			l.Lists = append(l.Lists, list)
		})
		if err != nil {
			return err
		}
		return knownTags.attach(ctx, q, viewer, withTags, func(link waymark.LinkID, tag waymark.Tag) {
			l := &of[at[link]]
			l.Tags = append(l.Tags, tag)
		})
	}
}

// pair says that a link is in a list, or bears a tag.
type pair struct {
	tag   bool
	link  waymark.LinkID
	entry int64
}

func pairsOf(ctx context.Context, q querier, links []waymark.LinkID) iter.Seq2[pair, error] {
	a := q.args()
	these := in(a, links)
	return queryEach(ctx, q, func(rows *sql.Rows, p *pair) error { return rows.Scan(&p.tag, &p.link, &p.entry) }, `
		SELECT false, m.link_id, m.list_id
		FROM link_lists AS m
		WHERE m.link_id `+these+`
		UNION ALL
		SELECT true, m.link_id, m.tag_id
		FROM link_tags AS m
		WHERE m.link_id `+these, a.values...)
}

// labelCache are the lists, or the tags, that have been read.
type labelCache[T any] struct {
	kind *entityTable[T]
	byID map[int64]*sortedLabel[T] // nil for those that the viewer may not see
}

// sortedLabel is an entry, and what it is ordered by.
type sortedLabel[T any] struct {
	entry T
	id    int64
	key   string // its folded name
	name  string
}

func (n *sortedLabel[T]) compare(other *sortedLabel[T]) int {
	return cmp.Or(strings.Compare(n.key, other.key), strings.Compare(n.name, other.name), cmp.Compare(n.id, other.id))
}

// mostKnown bounds the memory for what has been read: then it is forgotten.
var mostKnown = 20_000

// attach calls add for each of the pairs whose entry viewer may see, by name.
func (k *labelCache[T]) attach(ctx context.Context, q querier, viewer waymark.UserID, pairs []pair, add func(waymark.LinkID, T)) error {
	if k.byID == nil || len(k.byID) > mostKnown {
		k.byID = map[int64]*sortedLabel[T]{}
	}
	var unknown []int64
	for _, p := range pairs {
		if _, ok := k.byID[p.entry]; !ok {
			k.byID[p.entry] = nil
			unknown = append(unknown, p.entry)
		}
	}
	if err := k.read(ctx, q, viewer, unknown); err != nil {
		return err
	}
	pairs = slices.DeleteFunc(pairs, func(p pair) bool { return k.byID[p.entry] == nil })
	slices.SortFunc(pairs, func(p, other pair) int { return k.byID[p.entry].compare(k.byID[other.entry]) })
	for _, p := range pairs {
		add(p.link, k.byID[p.entry].entry)
	}
	return nil
}

// read reads those of the entries that viewer may see. The + keeps SQLite from
// starting with everything that viewer may see.
func (k *labelCache[T]) read(ctx context.Context, q querier, viewer waymark.UserID, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	a := q.args(viewer)
	for entry, err := range queryEach(ctx, q, k.kind.scan, `
		SELECT `+k.kind.columns+`
		FROM `+k.kind.table+` AS e
		WHERE e.id `+in(a, ids)+` AND +e.shelf IN (0, $1)`, a.values...) {
		if err != nil {
			return err
		}
		id, name := k.kind.id(&entry), k.kind.name(&entry)
		k.byID[id] = &sortedLabel[T]{entry, id, waymark.Fold(name), name}
	}
	return nil
}

// attachments is which links go into which lists or tags.
type attachments struct {
	links []waymark.LinkID
	refs  [][]waymark.Ref // of each link
}

func (f *attachments) add(link waymark.LinkID, refs []waymark.Ref) {
	if len(refs) > 0 {
		f.links = append(f.links, link)
		f.refs = append(f.refs, refs)
	}
}

// attach adds links to what the refs mean to the user.
func (s *Store) attach(ctx context.Context, q querier, m association, user waymark.User, f attachments) error {
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
	return m.insert(ctx, q, pairs)
}

// setAttachments files several links alike. Where replace is set, they leave the other
// lists or tags that the user sees on them; what is in the trash meanwhile, or
// hidden from the user, stays.
func (s *Store) setAttachments(ctx context.Context, q querier, m association, user waymark.User, links []waymark.LinkID, refs []waymark.Ref, replace bool) error {
	if len(links) == 0 {
		return nil
	}
	if replace {
		a := q.args(user.ID)
		if _, err := q.exec(ctx, `
			DELETE FROM `+m.table+`
			WHERE link_id `+in(a, links)+` AND `+m.column+` IN (
				SELECT e.id
				FROM `+m.entities+` AS e
				WHERE e.id = `+m.table+`.`+m.column+` AND e.shelf IN (0, $1))`, a.values...); err != nil {
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
		if err := m.insert(ctx, q, pairs); err != nil {
			return err
		}
	}
	return nil
}

func (m association) insert(ctx context.Context, q querier, pairs [][2]int64) error {
	if len(pairs) == 0 {
		return nil
	}
	a := q.args()
	_, err := q.exec(ctx, `
		INSERT INTO `+m.table+` (link_id, `+m.column+`, link_shelf)
		SELECT e.id, CAST(value->>1 AS BIGINT), e.shelf
		FROM `+a.addRows(pairs)+`
		CROSS JOIN links AS e
		WHERE e.id = CAST(value->>0 AS BIGINT)
		ON CONFLICT DO NOTHING`, a.values...)
	return err
}

// resolvedRefs are the entries that refs point at.
type resolvedRefs struct {
	byID   map[int64]bool
	byName map[string]int64 // by folded name
}

// ids are the entries that the refs mean, each once. Refs that mean none are skipped.
func (r resolvedRefs) ids(refs []waymark.Ref) []int64 {
	var ids []int64
	for _, ref := range refs {
		id, ok := r.id(ref)
		if ok && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (r resolvedRefs) id(ref waymark.Ref) (int64, bool) {
	if ref.ID != 0 {
		return ref.ID, r.byID[ref.ID]
	}
	id, ok := r.byName[waymark.Fold(ref.Name)]
	return id, ok
}

// resolve looks up refs: ids among the active entries that the user may see, names
// among the user's own active ones, the oldest where several have the name.
func (s *Store) resolve(ctx context.Context, q querier, m association, user waymark.UserID, refs []waymark.Ref) (resolvedRefs, error) {
	r := resolvedRefs{map[int64]bool{}, map[string]int64{}}
	var ids []int64
	var names []string
	for _, ref := range refs {
		switch {
		case ref.ID != 0:
			ids = append(ids, ref.ID)
		case storableText(ref.Name):
			names = append(names, waymark.Fold(ref.Name))
		}
	}
	return r, errors.Join(r.lookUpIDs(ctx, q, m, user, ids), r.lookUpNames(ctx, q, m, user, names))
}

func (r resolvedRefs) lookUpIDs(ctx context.Context, q querier, m association, user waymark.UserID, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	a := q.args(user)
	for id, err := range queryEach(ctx, q, scanValue[int64], `
		SELECT e.id
		FROM `+m.entities+` AS e
		WHERE e.id `+in(a, unique(ids))+` AND +e.shelf IN (0, $1)`, a.values...) {
		if err != nil {
			return err
		}
		r.byID[id] = true
	}
	return nil
}

func (r resolvedRefs) lookUpNames(ctx context.Context, q querier, m association, user waymark.UserID, names []string) error {
	if len(names) == 0 {
		return nil
	}
	type entry struct {
		id  int64
		key string
	}
	a := q.args(user)
	for found, err := range queryEach(ctx, q, func(rows *sql.Rows, e *entry) error { return rows.Scan(&e.id, &e.key) }, `
		SELECT min(e.id), e.name_key
		FROM `+m.entities+` AS e
		WHERE e.user_id = $1 AND e.name_key `+in(a, unique(names))+` AND e.shelf IS NOT NULL
		GROUP BY e.name_key`, a.values...) {
		if err != nil {
			return err
		}
		r.byName[found.key] = found.id
	}
	return nil
}

var labelColumns = columns{
	{"user_id", "BIGINT"},
	{"visibility", "INTEGER"},
	{"created_at", "BIGINT"},
	{"updated_at", "BIGINT"},
	{"name", "TEXT"},
	{"name_key", "TEXT"},
}

// resolveOrCreate looks up refs too, and makes an entry for each name that the user has
// none for.
func (s *Store) resolveOrCreate(ctx context.Context, q querier, m association, user waymark.User, refs []waymark.Ref) (resolvedRefs, error) {
	if len(refs) == 0 {
		return resolvedRefs{}, nil
	}
	if err := s.dialect.lock(ctx, q, user.ID); err != nil {
		return resolvedRefs{}, err
	}
	known, err := s.resolve(ctx, q, m, user.ID, refs)
	if err != nil {
		return resolvedRefs{}, err
	}
	return known, s.createMissing(ctx, q, m, user, refs, known)
}

// createMissing makes an entry for each name that is not known, and adds it.
func (s *Store) createMissing(ctx context.Context, q querier, m association, user waymark.User, refs []waymark.Ref, known resolvedRefs) error {
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
	ids, err := insert[int64](ctx, q, m.entities, labelColumns, rows)
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
