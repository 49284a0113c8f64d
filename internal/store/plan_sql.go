package store

import (
	"slices"
	"strconv"
	"strings"

	"waymark/internal/database"
	"waymark/internal/waymark"
)

// joinInOrder joins two FROM items of which SQLite must read the left one first.
// PostgreSQL chooses the order by itself.
const joinInOrder = " CROSS JOIN "

// unindexed returns a column in a form for which SQLite uses no index, so that it
// starts from another condition.
func unindexed(column string) string { return "+" + column }

// source is the FROM and WHERE of the rows of one scope.
type source struct {
	from  string // the row itself is e, unless only its id is needed
	where []string
	id    string // the SQL of the row's id, from the index that has the rows in its order
}

func (s source) sql() string { return "FROM " + s.from + "\nWHERE " + strings.Join(s.where, " AND ") }

// rows returns the rows of a scope that satisfy all predicates.
func (p plan) rows(a *database.Args, d *searchDialect, s scope) source {
	var rows source
	if p.driver == noDriver {
		rows = source{from: p.table + " AS e", where: []string{"e.visible_to = " + a.Add(s)}, id: "e.id"}
	} else {
		rows = p.predicates[p.driver].rows(a, d, p.table, s)
	}
	return rows.test(a, d, p.others())
}

// ids returns the ids of the same rows from the driver's index alone, where indexOnly.
func (p plan) ids(a *database.Args, d *searchDialect, s scope) source {
	return p.predicates[p.driver].index(a, d, s).test(a, d, p.others())
}

// indexOnly reports whether the ids of the rows can be read without reading the rows.
func (p plan) indexOnly(d *searchDialect) bool {
	return p.driver != noDriver && p.predicates[p.driver].indexed(d) == exactIndex &&
		!slices.ContainsFunc(p.others(), func(other predicate) bool { return !other.onID() })
}

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

// indexing is what an index tells of the rows that satisfy a predicate.
type indexing int

const (
	notIndexed indexing = iota // nothing that is cheaper than reading the rows
	boundIndex                 // at least as many entries as there are rows
	exactIndex                 // the ids of the rows, each once
)

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
			where: []string{"m." + p.assoc.column + " " + oneOf(a, p.ids), "m.link_visible_to = " + a.Add(s)},
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
		return "EXISTS (SELECT 1 FROM " + p.assoc.table + " AS p WHERE p.link_id = " + id + " AND p." + p.assoc.column + " " + oneOf(a, p.ids) + ")"
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

// oneOf returns the condition of being one of the ids: for a single one a comparison,
// which SQLite evaluates in half of the time.
func oneOf(a *database.Args, ids []int64) string {
	if len(ids) == 1 {
		return "= " + a.Add(ids[0])
	}
	return database.In(a, ids)
}

// branchScopes are the scopes that a UNION ALL has a branch for. Rows in no scope have
// a single branch.
func (p plan) branchScopes() []scope {
	if p.scopes == nil {
		return []scope{publicScope}
	}
	return p.scopes
}

// countSQL returns the statement that counts the rows: one column per scope.
func (p plan) countSQL(a *database.Args, d *searchDialect) string {
	var counts []string
	for _, s := range p.branchScopes() {
		rows := p.rows
		if p.indexOnly(d) {
			rows = p.ids
		}
		counts = append(counts, "(SELECT count(*) "+strings.ReplaceAll(rows(a, d, s).sql(), "\n", " ")+")")
	}
	return "SELECT " + strings.Join(counts, ",\n\t")
}

// boundSQL returns the statement that counts the index entries of a driver, up to a
// limit.
func (p plan) boundSQL(a *database.Args, d *searchDialect, driver, limit int) string {
	var branches []string
	for _, s := range p.branchScopes() {
		branches = append(branches, "SELECT 1 "+p.predicates[driver].index(a, d, s).sql())
	}
	return "SELECT count(*)\nFROM (\n" + indent(strings.Join(branches, "\nUNION ALL\n")+"\nLIMIT "+a.Add(limit)) + ") AS found"
}

// idsSQL returns the statement for the ids of the driver's rows, up to a limit.
func (p plan) idsSQL(a *database.Args, d *searchDialect, limit int) string {
	var branches []string
	for _, s := range p.branchScopes() {
		branches = append(branches, "SELECT e.id "+p.predicates[p.driver].rows(a, d, p.table, s).sql())
	}
	return strings.Join(branches, "\nUNION ALL\n") + "\nLIMIT " + a.Add(limit)
}

// pageSQL returns the statement for a batch of a window: size rows, with the columns
// and then the values of their order, which are the cursor of the next batch. after is
// the cursor of the batch before, nil for the first one, which is found by its offset
// from the nearer end.
func (p plan) pageSQL(a *database.Args, d *searchDialect, columns string, w window, size int, after []any) string {
	desc, offset := p.desc, w.offset
	if after != nil {
		offset = 0
	} else if fromEnd := w.total - w.offset - size; fromEnd < w.offset {
		desc, offset = !desc, fromEnd
	}
	scans := p.orderScans(d)
	var branches []string
	for _, s := range p.branchScopes() {
		for _, scan := range scans {
			text := a.LimitBranch(p.branchSQL(a, d, s, scan, after, desc), offset+size)
			branches = append(branches, "SELECT * FROM (\n"+indent(text)+") AS scan"+strconv.Itoa(len(branches)))
		}
	}
	n := p.cursorLength(d)
	names := cursorColumns("", n)
	page := strings.Join(branches, "\nUNION ALL\n") +
		"\nORDER BY " + orderBy(names, desc) +
		"\nLIMIT " + a.Add(size) + " OFFSET " + a.Add(offset)
	names = cursorColumns("p.", n)
	return "SELECT " + columns + ", " + strings.Join(names, ", ") +
		"\nFROM (\n" + indent(page) + ") AS p" + joinInOrder + p.table + " AS e" +
		"\nWHERE e.id = " + names[len(names)-1] +
		"\nORDER BY " + orderBy(names, p.desc)
}

// orderScan is one of several index scans that together return all rows in the order
// of a listing.
type orderScan struct {
	only    string   // the condition of the rows that it returns, "" for all
	columns []string // what the index is sorted by; the values are those of the order's columns
}

// orderScans are the scans of one scope. With a driver the rows are sorted, so one is
// enough.
func (p plan) orderScans(d *searchDialect) []orderScan {
	if p.driver == noDriver {
		return d.orderScans(p.order.columns)
	}
	return []orderScan{{columns: p.order.columns}}
}

// cursorLength is the number of values in a cursor: what the rows are sorted by, the id
// included.
func (p plan) cursorLength(d *searchDialect) int { return len(p.orderScans(d)[0].columns) + 1 }

// branchSQL returns the ordered scan of one scope.
func (p plan) branchSQL(a *database.Args, d *searchDialect, s scope, scan orderScan, after []any, desc bool) string {
	var rows source
	if p.inIDOrder() && p.indexOnly(d) {
		rows = p.ids(a, d, s)
	} else {
		rows = p.rows(a, d, s)
	}
	if scan.only != "" {
		rows.where = append(rows.where, scan.only)
	}
	columns := append(slices.Clone(scan.columns), rows.id)
	if after != nil {
		rows.where = append(rows.where, afterCursor(a, columns, after, desc))
	}
	return "SELECT " + selectAliased(columns) + "\n" + rows.sql() + "\nORDER BY " + orderBy(columns, desc)
}

// afterCursor returns the keyset condition (a, b) > (x, y). a >= x stands in it once
// more, since that is what an index of the first column can use.
func afterCursor(a *database.Args, columns []string, values []any, desc bool) string {
	operator := " > "
	if desc {
		operator = " < "
	}
	parameters := make([]string, len(values))
	for i, v := range values {
		parameters[i] = a.Add(v)
	}
	if len(columns) == 1 {
		return columns[0] + operator + parameters[0]
	}
	return columns[0] + operator[:2] + "= " + parameters[0] +
		" AND (" + strings.Join(columns, ", ") + ")" + operator + "(" + strings.Join(parameters, ", ") + ")"
}

// cursorColumns are the names of the order's values outside the innermost SELECT.
func cursorColumns(prefix string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = prefix + "k" + strconv.Itoa(i)
	}
	return names
}

func selectAliased(columns []string) string {
	names := cursorColumns("", len(columns))
	for i, column := range columns {
		names[i] = column + " AS " + names[i]
	}
	return strings.Join(names, ", ")
}

func orderBy(columns []string, desc bool) string {
	if !desc {
		return strings.Join(columns, ", ")
	}
	return strings.Join(columns, " DESC, ") + " DESC"
}

func indent(text string) string { return "\t" + strings.ReplaceAll(text, "\n", "\n\t") }
