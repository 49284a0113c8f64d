package store

import (
	"context"
	"slices"
	"strings"

	"waymark/internal/waymark"
)

// SearchLinks shows a page of the links that viewer may see and that query asks for.
func (s *Store) SearchLinks(ctx context.Context, viewer waymark.UserID, query waymark.LinkQuery, order waymark.Order, page waymark.Page, show Show[waymark.Link]) error {
	var f *filter
	err := s.view(ctx, func(q querier) (err error) {
		f, err = s.filter(ctx, q, viewer, query)
		return err
	})
	if err != nil {
		return err
	}
	if f.none {
		return show(0, plain[waymark.Link](nil))
	}
	return browse(ctx, s, &links, f.walk(viewer, order), page, show)
}

// LinksOfList shows a page of the links in a list.
func (s *Store) LinksOfList(ctx context.Context, viewer waymark.UserID, list waymark.ListID, order waymark.Order, page waymark.Page, show Show[waymark.Link]) error {
	f := &filter{finders: []finder{memberFinder(listMembers, []int64{int64(list)})}}
	return browse(ctx, s, &links, f.walk(viewer, order), page, show)
}

// LinksOfTag shows a page of the links with a tag.
func (s *Store) LinksOfTag(ctx context.Context, viewer waymark.UserID, tag waymark.TagID, order waymark.Order, page waymark.Page, show Show[waymark.Link]) error {
	f := &filter{finders: []finder{memberFinder(tagMembers, []int64{int64(tag)})}}
	return browse(ctx, s, &links, f.walk(viewer, order), page, show)
}

// filter is what a link must fulfil.
type filter struct {
	none    bool // nothing can
	finders []finder
	tests   []condition
}

// condition is SQL about the link e.
type condition func(a *args) string

// finder is a condition that an index can answer from its own end: which links of
// a shelf fulfil it.
type finder struct {
	find func(a *args, shelf waymark.UserID) string // FROM and WHERE of the links e
	// alone is the same without the links, good for counting; nil where it takes them.
	alone func(a *args, shelf waymark.UserID) string
	test  condition // the same about one link
	id    string    // the link's id, from the index
	// byID says that find brings the links in the order of their ids.
	byID bool
}

// walk starts from the first finder, which stands for the fewest links as a rule,
// and tests the links that it brings for the rest; or from all the links of a
// shelf, where there is none.
func (f *filter) walk(viewer waymark.UserID, order waymark.Order) walk {
	all := everything("links", viewer, order).from
	w := walk{
		viewer:  viewer,
		shelves: []waymark.UserID{shared, viewer},
		order:   order,
		id:      "e.id",
		from:    with(all, f.tests),
	}
	if len(f.finders) == 0 {
		return w
	}
	first, tests := f.finders[0], slices.Clone(f.tests)
	for _, other := range f.finders[1:] {
		tests = append(tests, other.test)
	}
	w.from, w.id = with(first.find, tests), first.id
	if len(tests) == 0 {
		w.counted = first.alone
	}
	switch {
	case !first.byID || order.By != "id":
		w.tested = with(all, append(tests, first.test))
	case len(tests) == 0:
		w.from = first.alone
	}
	return w
}

// with adds tests to a FROM and WHERE.
func with(from func(a *args, shelf waymark.UserID) string, tests []condition) func(a *args, shelf waymark.UserID) string {
	return func(a *args, shelf waymark.UserID) string {
		text := from(a, shelf)
		for _, test := range tests {
			text += " AND " + test(a)
		}
		return text
	}
}

// filter turns a query into SQL. Names and ids in it are looked up first.
func (s *Store) filter(ctx context.Context, q querier, viewer waymark.UserID, query waymark.LinkQuery) (*filter, error) {
	f := &filter{none: !keepable(query.Text)}
	if query.Text != "" {
		f.finders = append(f.finders, s.textFinder(query))
	}
	if err := s.filterMembers(ctx, q, f, viewer, tagMembers, query.NoTags, query.Tags, query.AllTags, query.ExceptTags); err != nil {
		return nil, err
	}
	if err := s.filterMembers(ctx, q, f, viewer, listMembers, query.NoLists, query.Lists, query.AllLists, query.ExceptLists); err != nil {
		return nil, err
	}
	if query.Visibility != 0 {
		f.tests = append(f.tests, func(a *args) string { return "e.visibility = " + a.add(query.Visibility) })
	}
	if query.PrivateOnly {
		f.tests = append(f.tests, func(a *args) string { return "e.visibility = " + a.add(waymark.Private) })
	}
	if query.BrokenOnly {
		f.tests = append(f.tests, func(a *args) string { return "e.status > " + a.add(waymark.StatusOK) })
	}
	return f, nil
}

// filterMembers adds what a query says about lists, or about tags.
func (s *Store) filterMembers(ctx context.Context, q querier, f *filter, viewer waymark.UserID, m members, empty bool, wanted []waymark.Ref, every bool, except []waymark.Ref) error {
	known, err := s.resolve(ctx, q, m, viewer, slices.Concat(wanted, except))
	if err != nil {
		return err
	}
	switch ids := known.ids(wanted); {
	case empty:
		f.tests = append(f.tests, func(a *args) string {
			return "NOT EXISTS (SELECT 1 FROM " + m.pairs + " AS m JOIN " + m.table + " AS t ON t.id = m." + m.column +
				" WHERE m.link_id = e.id AND t.shelf IN (0, " + a.add(viewer) + "))"
		})
	case len(wanted) == 0:
	case len(ids) == 0, every && slices.ContainsFunc(wanted, known.lacks):
		f.none = true
	case every:
		f.finders = append(f.finders, memberFinder(m, ids[:1]))
		if others := ids[1:]; len(others) > 0 {
			f.tests = append(f.tests, func(a *args) string { return m.holdAll(a, others) })
		}
	default:
		f.finders = append(f.finders, memberFinder(m, ids))
	}
	if ids := known.ids(except); len(ids) > 0 {
		f.tests = append(f.tests, func(a *args) string { return "NOT " + m.hold(a, ids) })
	}
	return nil
}

// lacks tells whether a ref means nothing.
func (r resolved) lacks(ref waymark.Ref) bool {
	_, ok := r.id(ref)
	return !ok
}

// memberFinder finds the links in any of those lists, or with any of those tags.
func memberFinder(m members, ids []int64) finder {
	if len(ids) == 1 {
		return finder{
			id:   "m.link_id",
			byID: true,
			find: func(a *args, shelf waymark.UserID) string {
				return "FROM " + m.pairs + " AS m CROSS JOIN links AS e WHERE m." + m.column + " = " + a.add(ids[0]) +
					" AND m.link_shelf = " + a.add(shelf) + " AND e.id = m.link_id"
			},
			alone: func(a *args, shelf waymark.UserID) string {
				return "FROM " + m.pairs + " AS m WHERE m." + m.column + " = " + a.add(ids[0]) + " AND m.link_shelf = " + a.add(shelf)
			},
			test: func(a *args) string { return m.hold(a, ids) },
		}
	}
	return finder{
		id: "m.link_id",
		find: func(a *args, shelf waymark.UserID) string {
			return "FROM (SELECT DISTINCT link_id FROM " + m.pairs + " WHERE " + m.column + " " + among(a, ids) +
				" AND link_shelf = " + a.add(shelf) + ") AS m CROSS JOIN links AS e WHERE e.id = m.link_id"
		},
		test: func(a *args) string { return m.hold(a, ids) },
	}
}

// hold is the condition that the link is in any of those lists, or has any of those tags.
func (m members) hold(a *args, ids []int64) string {
	return "EXISTS (SELECT 1 FROM " + m.pairs + " AS m WHERE m.link_id = e.id AND m." + m.column + " " + among(a, ids) + ")"
}

// holdAll is the condition that the link is in every one of those lists, or has all
// of those tags. It is as deep for a thousand as for two, since SQLite takes no
// deeper expression.
func (m members) holdAll(a *args, ids []int64) string {
	return "(SELECT count(*) FROM " + m.pairs + " AS m WHERE m.link_id = e.id AND m." + m.column + " " + among(a, ids) + ") = " + a.add(len(ids))
}

// textFinder finds links by a text in their address, title or description.
func (s *Store) textFinder(query waymark.LinkQuery) finder {
	text, columns := waymark.Fold(query.Text), []string{"url_key"}
	if query.InTitle {
		columns = append(columns, "title_key")
	}
	if query.InDescription {
		columns = append(columns, "description_key")
	}
	return finder{
		id: "e.id",
		find: func(a *args, shelf waymark.UserID) string {
			return s.dialect.textMatch(a, shelf, text, columns)
		},
		alone: s.dialect.textCount(text, columns),
		test:  func(a *args) string { return containsAny(s.dialect.contains, a.add(text), columns) },
	}
}

// containsAny is the condition that one of a link's columns contains the text at a place.
func containsAny(contains func(column, place string) string, place string, columns []string) string {
	tests := make([]string, len(columns))
	for i, column := range columns {
		tests[i] = contains("e."+column, place)
	}
	return "(" + strings.Join(tests, " OR ") + ")"
}
