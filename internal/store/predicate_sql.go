package store

import (
	"strconv"
	"strings"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

func (s source) test(a *database.Args, d *searchDialect, predicates []predicate) source {
	for _, p := range predicates {
		s.where = append(s.where, p.condition(a, d, s.id))
	}
	return s
}

// rows returns the rows of a scope that satisfy the predicate, read from its index.
func (p predicate) rows(a *database.Args, d *searchDialect, table string, s scope) source {
	rows := source{from: table + " AS e", id: "e.id"}
	switch p.kind {
	case inAny:
		index := p.index(a, d, s)
		if p.indexed(d) != exactIndex {
			index.from = "(SELECT DISTINCT m.link_id " + strings.ReplaceAll(index.sql(), "\n", " ") + ") AS m"
			index.where = nil
		}
		index.from += joinInOrder + table + " AS e"
		index.where = append(index.where, "e.id = m.link_id")
		return index
	case containsText:
		return d.textRows(a, p.text, s)
	case isBroken:
		rows.where = []string{"e.visible_to = " + a.Add(s), "e.status > " + a.Add(waymark.StatusOK)}
	case hasID:
		rows.where = []string{"e.id " + database.In(a, p.ids), unindexed("e.visible_to") + " = " + a.Add(s)}
	case noteOfLink:
		rows.where = []string{"e.link_id = " + a.Add(p.ids[0]), "e.visible_to = " + a.Add(s)}
	case trashedBy:
		rows.where = []string{"e.user_id = " + a.Add(p.user), "e.visible_to IS NULL"}
	default:
		panic("store: no scan starts from predicate " + strconv.Itoa(int(p.kind)))
	}
	return rows
}

// indexed returns what the predicate's index tells.
func (p predicate) indexed(d *searchDialect) indexing {
	switch {
	case p.kind == containsText:
		return d.textIndexed(p.text)
	case p.kind == inAny && len(p.ids) == 1:
		return exactIndex
	case p.kind == inAny, p.kind == isBroken:
		return boundIndex
	}
	return notIndexed
}

// index returns what the predicate's index has for a scope, unless it is notIndexed.
func (p predicate) index(a *database.Args, d *searchDialect, s scope) source {
	switch p.kind {
	case inAny:
		return source{
			from:  p.assoc.table + " AS m",
			where: []string{"m." + p.assoc.column + " " + database.In(a, p.ids), "m.link_visible_to = " + a.Add(s)},
			id:    "m.link_id",
		}
	case containsText:
		return d.textIndex(a, p.text, s)
	}
	return p.rows(a, d, "links", s)
}

// condition returns the condition that a row satisfies the predicate. id is the SQL of
// the row's id; the row itself is e.
func (p predicate) condition(a *database.Args, d *searchDialect, id string) string {
	switch p.kind {
	case inAny:
		return "EXISTS (SELECT 1 FROM " + p.assoc.table + " AS p WHERE p.link_id = " + id + " AND p." + p.assoc.column + " " + database.In(a, p.ids) + ")"
	case inNone:
		p.kind = inAny
		return "NOT " + p.condition(a, d, id)
	case inAll: // one level deep for any number of ids, since SQLite limits the depth of an expression
		return "(SELECT count(*) FROM " + p.assoc.table + " AS p WHERE p.link_id = " + id + " AND p." + p.assoc.column + " " + database.In(a, p.ids) + ") = " + a.Add(len(p.ids))
	case inNoneVisible:
		return "NOT EXISTS (SELECT 1 FROM " + p.assoc.table + " AS p JOIN " + p.assoc.entities + " AS t ON t.id = p." + p.assoc.column +
			" WHERE p.link_id = " + id + " AND " + visibleTo(a, "t.visible_to", p.user) + ")"
	case containsText:
		return p.text.condition(a, d)
	case isBroken:
		return unindexed("e.status") + " > " + a.Add(waymark.StatusOK)
	case hasID:
		return id + " " + database.In(a, p.ids)
	}
	panic("store: predicate " + strconv.Itoa(int(p.kind)) + " is a driver only")
}

// condition returns the condition that one of the columns contains the text.
func (t textPredicate) condition(a *database.Args, d *searchDialect) string {
	parameter := a.Add(t.text)
	conditions := make([]string, len(t.columns))
	for i, column := range t.columns {
		conditions[i] = d.contains("e."+column, parameter)
	}
	return "(" + strings.Join(conditions, " OR ") + ")"
}

// scanText returns the links of a scope that contain a text, by testing all of them.
func scanText(a *database.Args, d *searchDialect, t textPredicate, s scope) source {
	return source{
		from:  "links AS e",
		where: []string{"e.visible_to = " + a.Add(s), t.condition(a, d)},
		id:    "e.id",
	}
}
