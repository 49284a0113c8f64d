package store

import (
	"strings"

	"waymark/internal/waymark"
)

// mark is a comparison of a link's visibility or status, without its value.
type mark struct {
	compare string
	value   any
}

// find lets SQLite begin with the index of the column.
func (m mark) find(a *args) string { return m.compare + " " + a.add(m.value) }

// test does not, for the sake of another index: hence the +.
func (m mark) test(a *args) string { return "+" + m.find(a) }

// condition is SQL about the link e, or about the id of a link alone.
type condition struct {
	ofLink func(a *args) string
	ofID   func(a *args, id string) string
}

func (c condition) sql(a *args) string {
	if c.ofID != nil {
		return c.ofID(a, "e.id")
	}
	return c.ofLink(a)
}

// finder is a condition that an index can answer from its own end: which links of
// a shelf fulfil it.
type finder struct {
	find func(a *args, shelf waymark.UserID) string // FROM and WHERE of the links e
	// alone is the same without the links, good for counting; nil where it takes them.
	alone func(a *args, shelf waymark.UserID) string
	// most finds at least as many, and is cheap to count; nil where nothing is.
	most func(a *args, shelf waymark.UserID) string
	test condition // the same about one link
	// id is the link's id, from the index where its order helps; aloneID where alone has it.
	id, aloneID string
	// byID says that find brings the links in the order of their ids.
	byID bool
	// marked says that find brings only links that fulfil the filter's marks.
	marked bool
}

// markFinder finds the links with all those marks.
func markFinder(marks []mark) finder {
	all := func(a *args, one func(mark, *args) string) string {
		tests := make([]string, len(marks))
		for i, m := range marks {
			tests[i] = one(m, a)
		}
		return strings.Join(tests, " AND ")
	}
	find := func(a *args, shelf waymark.UserID) string {
		return "FROM links AS e WHERE e.shelf = " + a.add(shelf) + " AND " + all(a, mark.find)
	}
	return finder{
		id:   "e.id",
		find: find,
		most: find,
		test: condition{ofLink: func(a *args) string { return all(a, mark.test) }},
	}
}

// memberFinder finds the links in any of those lists, or with any of those tags.
func memberFinder(m association, ids []int64) finder {
	pairs := func(a *args, shelf waymark.UserID) string {
		return "FROM " + m.table + " AS m WHERE m." + m.column + " " + in(a, ids) + " AND m.link_shelf = " + a.add(shelf)
	}
	test := m.hold(ids)
	if len(ids) > 1 {
		return finder{
			id: "m.link_id",
			find: func(a *args, shelf waymark.UserID) string {
				return "FROM (SELECT DISTINCT m.link_id " + pairs(a, shelf) + ") AS m CROSS JOIN links AS e WHERE e.id = m.link_id"
			},
			most: pairs,
			test: test,
		}
	}
	pairs = func(a *args, shelf waymark.UserID) string { // in the order of links
		return "FROM " + m.table + " AS m WHERE m." + m.column + " = " + a.add(ids[0]) + " AND m.link_shelf = " + a.add(shelf)
	}
	return finder{
		id:      "m.link_id",
		aloneID: "m.link_id",
		byID:    true,
		find: func(a *args, shelf waymark.UserID) string {
			return "FROM " + m.table + " AS m CROSS JOIN links AS e WHERE m." + m.column + " = " + a.add(ids[0]) +
				" AND m.link_shelf = " + a.add(shelf) + " AND e.id = m.link_id"
		},
		alone: pairs,
		most:  pairs,
		test:  test,
	}
}

// hold is the condition that the link is in any of those lists, or has any of those tags.
func (m association) hold(ids []int64) condition {
	return condition{ofID: func(a *args, id string) string {
		return "EXISTS (SELECT 1 FROM " + m.table + " AS p WHERE p.link_id = " + id + " AND p." + m.column + " " + oneOf(a, ids) + ")"
	}}
}

// oneOf is the condition of being one of the ids: a plain comparison where there is
// only one, which SQLite answers in half of the time.
func oneOf(a *args, ids []int64) string {
	if len(ids) == 1 {
		return "= " + a.add(ids[0])
	}
	return in(a, ids)
}

// holdNone is the condition that it is in none of them.
func (m association) holdNone(ids []int64) condition {
	return condition{ofID: func(a *args, id string) string { return "NOT " + m.hold(ids).ofID(a, id) }}
}

// holdAll is the condition that it is in every one of them. It is as deep for
// a thousand as for two, since SQLite takes no deeper expression.
func (m association) holdAll(ids []int64) condition {
	return condition{ofID: func(a *args, id string) string {
		return "(SELECT count(*) FROM " + m.table + " AS p WHERE p.link_id = " + id + " AND p." + m.column + " " + in(a, ids) + ") = " + a.add(len(ids))
	}}
}

// trigram is how many characters a text index knows together.
const trigram = 3

// textQuery asks for links that contain a folded text in one of the columns url_key,
// title_key and description_key.
type textQuery struct {
	text    string
	columns []string
	// The marks of a filter, for an index that knows them.
	visibility []waymark.Visibility
	broken     bool
}

func newTextQuery(query waymark.LinkFilter) textQuery {
	t := textQuery{text: waymark.Fold(query.Text), columns: []string{"url_key"}, broken: query.BrokenOnly}
	if query.SearchTitle {
		t.columns = append(t.columns, "title_key")
	}
	if query.SearchDescription {
		t.columns = append(t.columns, "description_key")
	}
	if query.Visibility != 0 {
		t.visibility = append(t.visibility, query.Visibility)
	}
	if query.PrivateOnly {
		t.visibility = append(t.visibility, waymark.Private)
	}
	return t
}

// test is the condition that one of a link's columns contains the text.
func (t textQuery) test(contains func(column, place string) string) condition {
	return condition{ofLink: func(a *args) string {
		place := a.add(t.text)
		tests := make([]string, len(t.columns))
		for i, column := range t.columns {
			tests[i] = contains("e."+column, place)
		}
		return "(" + strings.Join(tests, " OR ") + ")"
	}}
}
