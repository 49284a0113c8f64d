package query

import (
	"strconv"
	"strings"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// test returns s with the conditions of predicates added.
func (s source) test(a *database.Args, d *Dialect, predicates []Predicate) source {
	for _, p := range predicates {
		s.where = append(s.where, p.condition(a, d, s.id))
	}
	return s
}

// rows returns the rows of a scope that satisfy the predicate, read from its index.
func (p Predicate) rows(a *database.Args, d *Dialect, table string, s Scope) source {
	rows := source{from: table + " AS e", id: "e.id"}
	switch p.Kind {
	case InAny:
		index := p.index(a, d, s)
		if p.Indexed(d) != exactIndex {
			index.from = "(SELECT DISTINCT m.link_id " + strings.ReplaceAll(index.sql(), "\n", " ") + ") AS m"
			index.where = nil
		}
		index.from += database.JoinInOrder + table + " AS e"
		index.where = append(index.where, "e.id = m.link_id")
		return index
	case ContainsText:
		return d.textRows(a, p.Text, s)
	case IsBroken:
		rows.where = []string{"e.visible_to = " + a.Add(s), "e.status > " + a.Add(waymark.StatusOK)}
	case HasID:
		rows.where = []string{"e.id " + database.In(a, p.IDs), database.Unindexed("e.visible_to") + " = " + a.Add(s)}
	case NoteOfLink:
		rows.where = []string{"e.link_id = " + a.Add(p.IDs[0]), "e.visible_to = " + a.Add(s)}
	case TrashedBy:
		rows.where = []string{"e.user_id = " + a.Add(p.User), "e.visible_to IS NULL"}
	default:
		panic("query: no scan starts from predicate " + strconv.Itoa(int(p.Kind)))
	}
	return rows
}

// Indexed returns how precisely the index of the predicate identifies its rows.
func (p Predicate) Indexed(d *Dialect) Indexing {
	switch {
	case p.Kind == ContainsText:
		return d.textIndexed(p.Text)
	case p.Kind == InAny && len(p.IDs) == 1:
		return exactIndex
	case p.Kind == InAny, p.Kind == IsBroken:
		return boundIndex
	}
	return NotIndexed
}

// index returns the index entries of a scope. It may not be called if Indexed returns
// NotIndexed.
func (p Predicate) index(a *database.Args, d *Dialect, s Scope) source {
	switch p.Kind {
	case InAny:
		return source{
			from:  p.Association.Table + " AS m",
			where: []string{"m." + p.Association.Column + " " + database.In(a, p.IDs), "m.link_visible_to = " + a.Add(s)},
			id:    "m.link_id",
		}
	case ContainsText:
		return d.textIndex(a, p.Text, s)
	}
	return p.rows(a, d, "links", s)
}

// condition returns the condition that a row satisfies the predicate. id is the SQL of
// the row's id; the row itself is e.
func (p Predicate) condition(a *database.Args, d *Dialect, id string) string {
	switch p.Kind {
	case InAny:
		return "EXISTS (SELECT 1 FROM " + p.Association.Table + " AS p WHERE p.link_id = " + id + " AND p." + p.Association.Column + " " + database.In(a, p.IDs) + ")"
	case InNone:
		p.Kind = InAny
		return "NOT " + p.condition(a, d, id)
	case InAll: // a count, not one EXISTS for each id, because SQLite limits the depth of an expression
		return "(SELECT count(*) FROM " + p.Association.Table + " AS p WHERE p.link_id = " + id + " AND p." + p.Association.Column + " " + database.In(a, p.IDs) + ") = " + a.Add(len(p.IDs))
	case InNoneVisible:
		return "NOT EXISTS (SELECT 1 FROM " + p.Association.Table + " AS p JOIN " + p.Association.Entities + " AS t ON t.id = p." + p.Association.Column +
			" WHERE p.link_id = " + id + " AND " + VisibleTo(a, "t.visible_to", p.User) + ")"
	case ContainsText:
		return p.Text.condition(a, d)
	case IsBroken:
		return database.Unindexed("e.status") + " > " + a.Add(waymark.StatusOK)
	case HasID:
		return id + " " + database.In(a, p.IDs)
	}
	panic("query: predicate " + strconv.Itoa(int(p.Kind)) + " is a driver only")
}

// condition returns the condition that one of the columns contains the text.
func (t TextPredicate) condition(a *database.Args, d *Dialect) string {
	parameter := a.Add(t.Text)
	conditions := make([]string, len(t.Columns))
	for i, column := range t.Columns {
		conditions[i] = d.Contains("e."+column, parameter)
	}
	return "(" + strings.Join(conditions, " OR ") + ")"
}

// scanText returns the links of a scope that contain a text. It tests every link.
func scanText(a *database.Args, d *Dialect, t TextPredicate, s Scope) source {
	return source{
		from:  "links AS e",
		where: []string{"e.visible_to = " + a.Add(s), t.condition(a, d)},
		id:    "e.id",
	}
}
