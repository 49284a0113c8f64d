package store

import (
	"context"
	"math"
	"slices"

	"waymark/internal/waymark"
)

// SearchLinks shows a page of the links that viewer may see and that query asks for.
func (s *Store) SearchLinks(ctx context.Context, viewer waymark.UserID, query waymark.LinkFilter, order waymark.Order, page waymark.Pagination, show Emit[waymark.Link]) error {
	var f *filter
	err := s.search(ctx, func(q querier) (err error) {
		f, err = s.filter(ctx, q, viewer, query)
		return err
	})
	if err != nil {
		return err
	}
	if f.none {
		return show(0, plain[waymark.Link](nil))
	}
	w := f.walk(viewer, order)
	w.view = s.search
	return browse(ctx, s, &links, w, page, show)
}

// LinksOfList shows a page of the links in a list.
func (s *Store) LinksOfList(ctx context.Context, viewer waymark.UserID, list waymark.ListID, order waymark.Order, page waymark.Pagination, show Emit[waymark.Link]) error {
	f := &filter{finders: []finder{memberFinder(linkLists, []int64{int64(list)})}}
	return browse(ctx, s, &links, f.walk(viewer, order), page, show)
}

// LinksOfTag shows a page of the links with a tag.
func (s *Store) LinksOfTag(ctx context.Context, viewer waymark.UserID, tag waymark.TagID, order waymark.Order, page waymark.Pagination, show Emit[waymark.Link]) error {
	f := &filter{finders: []finder{memberFinder(linkTags, []int64{int64(tag)})}}
	return browse(ctx, s, &links, f.walk(viewer, order), page, show)
}

// filter is what a link must fulfil.
type filter struct {
	none    bool // nothing can
	finders []finder
	tests   []condition
	marks   []mark // which a text index may know too
}

// walk starts from the first finder and tests the links that it brings for the rest;
// or from all the links of a shelf, where there is none.
func (f *filter) walk(viewer waymark.UserID, order waymark.Order) walk {
	all := everything("links", viewer, order).from
	every := slices.Clone(f.tests)
	for _, m := range f.marks {
		every = append(every, condition{ofLink: m.test})
	}
	w := walk{
		viewer:  viewer,
		shelves: []waymark.UserID{shared, viewer},
		order:   order,
		id:      "e.id",
		from:    with(all, every),
		along:   len(f.finders) == 0,
	}
	if w.along {
		return w
	}
	first, tests := f.finders[0], every
	if first.marked {
		tests = slices.Clone(f.tests)
	}
	for _, other := range f.finders[1:] {
		tests, every = append(tests, other.test), append(every, other.test)
	}
	w.from, w.id = with(first.find, tests), first.id
	if first.alone != nil && !slices.ContainsFunc(tests, func(test condition) bool { return test.ofID == nil }) {
		w.counted = func(a *args, shelf waymark.UserID) string {
			text := first.alone(a, shelf)
			for _, test := range tests {
				text += " AND " + test.ofID(a, first.aloneID)
			}
			return text
		}
	}
	switch {
	case !first.byID || order.By != waymark.SortByID:
		w.tested = with(all, append(every, first.test))
	case len(tests) == 0:
		w.from = first.alone
	}
	return w
}

// few links are found and tested so quickly that it does not matter who finds fewer.
var few = 1000

// beginWithFewest puts the finder first that brings the fewest links. It counts them
// as far as it must to know.
func (f *filter) beginWithFewest(ctx context.Context, q querier, viewer waymark.UserID) error {
	if len(f.finders) < 2 {
		return nil
	}
	for _, fewest := range []int{few, math.MaxInt} {
		best := -1
		for i, one := range slices.Backward(f.finders) { // texts last, which take longest
			if one.most == nil {
				continue
			}
			n, err := countUpTo(ctx, q, viewer, one.most, fewest)
			if err != nil {
				return err
			}
			if n < fewest {
				best, fewest = i, n
			}
		}
		if best >= 0 {
			f.finders[0], f.finders[best] = f.finders[best], f.finders[0]
			return nil
		}
	}
	return nil
}

// scanOnce replaces the first finder, where it looks at every link, by the links that
// it brings, if they are few: else they would be looked for once to be counted and once to be shown.
func (f *filter) scanOnce(ctx context.Context, q querier, viewer waymark.UserID) error {
	if len(f.finders) == 0 || f.finders[0].most != nil {
		return nil
	}
	first := &f.finders[0]
	a := q.args()
	ids, err := queryAll(ctx, q, scanValue[int64], `
		SELECT e.id `+first.find(a, shared)+`
		UNION ALL
		SELECT e.id `+first.find(a, viewer)+`
		LIMIT `+a.add(few+1), a.values...)
	if err != nil || len(ids) > few {
		return err
	}
	test := first.test
	first.find = func(a *args, shelf waymark.UserID) string {
		return "FROM links AS e WHERE e.id " + in(a, ids) + " AND +e.shelf = " + a.add(shelf) + " AND " + test.sql(a)
	}
	return nil
}

// countUpTo counts what viewer may see, and stops at a limit.
func countUpTo(ctx context.Context, q querier, viewer waymark.UserID, from func(a *args, shelf waymark.UserID) string, limit int) (int, error) {
	a := q.args()
	return queryOne(ctx, q, scanValue[int], `
		SELECT count(*)
		FROM (
			SELECT 1 `+from(a, shared)+`
			UNION ALL
			SELECT 1 `+from(a, viewer)+`
			LIMIT `+a.add(limit)+`) AS found`, a.values...)
}

// with adds tests to a FROM and WHERE.
func with(from func(a *args, shelf waymark.UserID) string, tests []condition) func(a *args, shelf waymark.UserID) string {
	return func(a *args, shelf waymark.UserID) string {
		text := from(a, shelf)
		for _, test := range tests {
			text += " AND " + test.sql(a)
		}
		return text
	}
}

// filter turns a query into SQL. Names and ids in it are looked up first.
func (s *Store) filter(ctx context.Context, q querier, viewer waymark.UserID, query waymark.LinkFilter) (*filter, error) {
	f := &filter{none: !storableText(query.Text)}
	if query.Text != "" {
		f.finders = append(f.finders, s.dialect.findText(newTextQuery(query)))
	}
	if err := s.filterMembers(ctx, q, f, viewer, linkTags, query.WithoutTags, query.Tags, query.AllTags, query.ExcludeTags); err != nil {
		return nil, err
	}
	if err := s.filterMembers(ctx, q, f, viewer, linkLists, query.WithoutLists, query.Lists, query.AllLists, query.ExcludeLists); err != nil {
		return nil, err
	}
	if query.Visibility != 0 {
		f.marks = append(f.marks, mark{"e.visibility =", query.Visibility})
	}
	if query.PrivateOnly {
		f.marks = append(f.marks, mark{"e.visibility =", waymark.Private})
	}
	if query.BrokenOnly {
		f.marks = append(f.marks, mark{"e.status >", waymark.StatusOK})
	}
	if len(f.finders) == 0 && len(f.marks) > 0 {
		f.finders, f.marks = []finder{markFinder(f.marks)}, nil
	}
	if f.none {
		return f, nil
	}
	if err := f.beginWithFewest(ctx, q, viewer); err != nil {
		return nil, err
	}
	return f, f.scanOnce(ctx, q, viewer)
}

// filterMembers adds what a query says about lists, or about tags.
func (s *Store) filterMembers(ctx context.Context, q querier, f *filter, viewer waymark.UserID, m association, empty bool, wanted []waymark.Ref, every bool, except []waymark.Ref) error {
	known, err := s.resolve(ctx, q, m, viewer, slices.Concat(wanted, except))
	if err != nil {
		return err
	}
	switch ids := known.ids(wanted); {
	case empty:
		f.tests = append(f.tests, condition{ofID: func(a *args, id string) string {
			return "NOT EXISTS (SELECT 1 FROM " + m.table + " AS p JOIN " + m.entities + " AS t ON t.id = p." + m.column +
				" WHERE p.link_id = " + id + " AND t.shelf IN (0, " + a.add(viewer) + "))"
		}})
	case len(wanted) == 0:
	case len(ids) == 0, every && slices.ContainsFunc(wanted, known.missing):
		f.none = true
	case every:
		if err := rarestFirst(ctx, q, viewer, m, ids); err != nil {
			return err
		}
		f.finders = append(f.finders, memberFinder(m, ids[:1]))
		if others := ids[1:]; len(others) > 0 {
			f.tests = append(f.tests, m.holdAll(others))
		}
	default:
		f.finders = append(f.finders, memberFinder(m, ids))
	}
	if ids := known.ids(except); len(ids) > 0 {
		f.tests = append(f.tests, m.holdNone(ids))
	}
	return nil
}

// mostCompared bounds how many lists or tags are counted to find the rarest.
const mostCompared = 10

// rarestFirst puts that one first which the fewest links are in, or have.
func rarestFirst(ctx context.Context, q querier, viewer waymark.UserID, m association, ids []int64) error {
	if len(ids) < 2 {
		return nil
	}
	best, fewest := 0, math.MaxInt
	for i, id := range ids[:min(len(ids), mostCompared)] {
		n, err := countUpTo(ctx, q, viewer, memberFinder(m, []int64{id}).most, fewest)
		if err != nil {
			return err
		}
		if n < fewest {
			best, fewest = i, n
		}
	}
	ids[0], ids[best] = ids[best], ids[0]
	return nil
}

// missing tells whether a ref means nothing.
func (r resolvedRefs) missing(ref waymark.Ref) bool {
	_, ok := r.id(ref)
	return !ok
}
